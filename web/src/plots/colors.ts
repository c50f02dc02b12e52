/// Colours of curves and traces: they differ also for the colour-blind, and stand out from both backgrounds.
export const LINE_COLORS = ["#2f7de1", "#d9480f", "#2b9348", "#b14fd0", "#b08500", "#0f8a9d", "#d6336c", "#7c8a97"];
