"use strict";
// The board of Can't Stop in a seat: moves the pieces to where they are after each step.
addEventListener("arena:step", ({ detail: { game, step } }) => {
  if (!step.at) return;
  const put = (piece, place) => {
    if (place) piece.setAttribute("transform", place);
    if (place) piece.removeAttribute("display");
    else piece.setAttribute("display", "none");
  };
  const markers = [...game.querySelectorAll(".markers use")];
  const runners = [...game.querySelectorAll(".runners use")];
  const seats = markers.length / runners.length;
  markers.forEach((piece, at) => put(piece, step.at[`${Math.floor(at / seats) + 2}.${at % seats}`]));
  runners.forEach((piece, at) => {
    put(piece, step.at[`${at + 2}.r`]);
    piece.setAttribute("href", `#play-runner-${step.seat}`);
  });
});
