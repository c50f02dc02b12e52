// Files that the user uploads: a scenario becomes one text with the files it names inside, as `lockstep pack` makes it.

export async function toBase64(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}

function escapeMarkup(text: string): string {
  return text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
}

/// Adds <file> elements at the end, where they change no line number. A file has the path by which the scenario names it:
/// src="meshes/arm.stl" for arm.stl.
export function embedFiles(scenario: string, files: readonly { name: string; data: string }[]): string {
  const end = scenario.lastIndexOf("</scenario>");
  if (end < 0 || files.length === 0) return scenario;
  const sources = [...scenario.matchAll(/\ssrc\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map((found) => found[1] ?? found[2]!);
  const elements = files.map(({ name, data }) => {
    const path = sources.find((source) => source === name || source.endsWith(`/${name}`)) ?? name;
    return `<file path="${escapeMarkup(path)}">${data}</file>`;
  });
  return scenario.slice(0, end) + elements.join("") + scenario.slice(end);
}
