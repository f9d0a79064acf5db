"""What decisions lose, by the best evaluator that there is for the rules."""
