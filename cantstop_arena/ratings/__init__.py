"""How strong each bot is: strengths (`luce`), and shares of wins with their errors (`scores`)."""
