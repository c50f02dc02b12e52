/// Colours of curves and traces: distinguishable with colour blindness, with enough contrast in both themes.
export const LINE_COLORS = ["#2f7de1", "#d9480f", "#2b9348", "#b14fd0", "#b08500", "#0f8a9d", "#d6336c", "#7c8a97"];
