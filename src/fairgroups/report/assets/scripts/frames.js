"use strict";
// A slider that shows one of several prepared pictures at a time.
(() => {
  for (const slider of document.querySelectorAll("input[data-frames]")) {
    const frames = [...document.querySelectorAll(`#${slider.dataset.frames} > [data-frame]`)];
    const told = document.getElementById(`${slider.dataset.frames}-told`);
    const show = () => {
      frames.forEach((frame, i) => { frame.hidden = i !== Number(slider.value); });
      told.textContent = frames[Number(slider.value)].dataset.frame;
      slider.setAttribute("aria-valuetext", told.textContent);
    };
    slider.max = String(frames.length - 1);
    slider.closest(".controls").hidden = frames.length < 2;
    slider.addEventListener("input", show);
    show();
  }
})();
