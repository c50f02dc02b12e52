// Formats numbers with their unit, in few enough digits to be readable while they change.

const PREFIXES: [number, string][] = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
  [1e-3, "m"],
  [1e-6, "µ"],
  [1e-9, "n"],
];
const TAKES_PREFIX = new Set(["m", "s", "N", "Hz", "W", "J", "V", "A", "Pa", "N*m"]);

/// A number in at most `digits` significant digits, without an exponent where that is short.
export function formatNumber(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "–" : value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text =
    size >= 1e6 || size < 1e-4
      ? value.toExponential(Math.max(0, digits - 2))
      : String(Number(value.toPrecision(digits)));
  return text.replace("-", "−");
}

/// A changing number whose width hardly changes: always four decimals, and no tiny rest instead of zero.
export function formatFixed(value: number): string {
  if (!Number.isFinite(value) || Math.abs(value) >= 1e6) return formatNumber(value);
  const text = value.toFixed(4);
  return (Number(text) === 0 ? "0.0000" : text).replace("-", "−");
}

/// As formatValue(), with a width that hardly changes: "0.5000 m", never "5e-15 m".
export function formatReading(value: number, unit: string): string {
  const text = unit === "" || unit === "1" ? formatFixed(value) : `${formatFixed(value)} ${formatUnit(unit)}`;
  return unit === "rad" && Number.isFinite(value) ? `${text} (${((value * 180) / Math.PI).toFixed(1)}°)` : text;
}

export function formatUnit(unit: string): string {
  return unit.replaceAll("*", "·").replaceAll("^2", "²").replaceAll("^3", "³");
}

/// "72 mm", "1.57 rad (90°)", "9.81 m/s²".
export function formatValue(value: number, unit: string, digits = 4): string {
  if (!Number.isFinite(value) || unit === "" || unit === "1") return formatNumber(value, digits);
  if (unit === "rad") return `${formatNumber(value, digits)} rad (${formatNumber((value * 180) / Math.PI, 3)}°)`;
  if (value !== 0 && TAKES_PREFIX.has(unit)) {
    // Seconds take no "kilo" prefix.
    const usual = unit === "s" ? PREFIXES.filter(([size]) => size <= 1) : PREFIXES;
    const [factor, prefix] = usual.find(([size]) => Math.abs(value) >= size) ?? [1, ""];
    return `${formatNumber(value / factor, digits)} ${prefix}${formatUnit(unit)}`;
  }
  return `${formatNumber(value, digits)} ${formatUnit(unit)}`;
}

/// Simulated time with fixed decimals, so that its width is constant while it runs: "83.250 s", "1:23:45.250".
export function formatTime(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–";
  // Rounded first, so that 59.9996 s is a minute and not 60 seconds.
  const milliseconds = Math.round(seconds * 1000);
  if (milliseconds < 100_000) return `${(milliseconds / 1000).toFixed(3)} s`;
  const two = (n: number) => String(n).padStart(2, "0");
  const whole = Math.floor(milliseconds / 1000);
  const hours = Math.floor(whole / 3600);
  const rest = `${two(whole % 60)}.${String(milliseconds % 1000).padStart(3, "0")}`;
  const minutes = Math.floor((whole % 3600) / 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

export function formatFactor(factor: number | null): string {
  return factor === null ? "Max" : `${formatNumber(factor, 3)}×`;
}
