"use strict";
// What a reader may take along from the explorer: the picture as PNG, the table as CSV, a link to what is shown.
const fairgroupsSave = (() => {
  const KEPT = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "opacity", "font-size",
    "font-weight", "font-family", "paint-order"];

  function offer(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  // A copy of a drawing that needs no style sheet.
  function standalone(svg) {
    const copy = svg.cloneNode(true);
    const [from, to] = [svg, copy].map((one) => [one, ...one.querySelectorAll("*")]);
    from.forEach((node, i) => {
      const style = getComputedStyle(node);
      for (const key of KEPT) to[i].setAttribute(key, style.getPropertyValue(key));
    });
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    return copy;
  }

  function png(svg, name) {
    const { width, height } = svg.viewBox.baseVal;
    const picture = new Image();
    picture.onload = () => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [2 * width, 2 * height];
      const paint = canvas.getContext("2d");
      paint.fillStyle = getComputedStyle(document.body).backgroundColor;
      paint.fillRect(0, 0, canvas.width, canvas.height);
      paint.drawImage(picture, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => offer(blob, name), "image/png");
    };
    picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(standalone(svg)))}`;
  }

  // Texts that a spreadsheet would take for a formula get an apostrophe, as in the CSV that the audit writes.
  const field = (value) => {
    const text = String(value ?? "");
    const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };

  function csv(rows, name) {
    const text = rows.map((row) => row.map(field).join(",")).join("\r\n");
    offer(new Blob([`\ufeff${text}\r\n`], { type: "text/csv" }), name);
  }

  return { png, csv };
})();
