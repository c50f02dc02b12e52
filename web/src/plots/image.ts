// All plots as one image, with their legends.

import type { Plot } from "./plot.ts";

const LEGEND_HEIGHT = 26;

export function drawPlots(plots: readonly Plot[]): Promise<Blob> {
  const canvases = plots.map((plot) => plot.canvas);
  const scale = window.devicePixelRatio;
  const width = Math.max(1, ...canvases.map((canvas) => canvas?.width ?? 0));
  const height = canvases.reduce((sum, canvas) => sum + (canvas ? canvas.height + LEGEND_HEIGHT * scale : 0), 0);
  const image = new OffscreenCanvas(width, Math.max(1, height));
  const context = image.getContext("2d")!;
  const style = getComputedStyle(document.documentElement);
  context.fillStyle = style.getPropertyValue("--panel");
  context.fillRect(0, 0, width, height);
  context.font = `${12 * scale}px system-ui`;
  context.textBaseline = "middle";
  let top = 0;
  plots.forEach((plot, i) => {
    const canvas = canvases[i];
    if (!canvas) return;
    let left = 12 * scale;
    for (const { name, color } of plot.colors) {
      context.fillStyle = color;
      context.fillRect(left, top + (LEGEND_HEIGHT / 2 - 1.5) * scale, 14 * scale, 3 * scale);
      context.fillStyle = style.getPropertyValue("--text");
      context.fillText(name, left + 20 * scale, top + (LEGEND_HEIGHT / 2) * scale);
      left += 36 * scale + context.measureText(name).width;
    }
    context.drawImage(canvas, 0, top + LEGEND_HEIGHT * scale);
    top += canvas.height + LEGEND_HEIGHT * scale;
  });
  return image.convertToBlob({ type: "image/png" });
}
