/* Colors as three numbers, for the graphics functions. */
#ifndef LS_BB_COLORS_H
#define LS_BB_COLORS_H
#define RED 255, 0, 0
#define MAROON 128, 0, 0
#define CORAL 240, 128, 128
#define PINK 255, 105, 180
#define ROSE 255, 228, 225
#define ORANGE 255, 153, 51
#define MAGENTA 255, 0, 255
#define FUCHSIA 255, 0, 255
#define PURPLE 128, 0, 128
#define VIOLET 138, 43, 226
#define GOLD 255, 215, 0
#define YELLOW 255, 255, 0
#define LIME 0, 255, 0
#define GREEN 0, 255, 0
#define OLIVE 128, 128, 0
#define CYAN 0, 255, 255
#define AQUA 0, 255, 255
#define TEAL 0, 128, 128
#define BLUE 0, 0, 255
#define NAVY 0, 0, 128
#define ALMOND 255, 235, 205
#define LTBROWN 255, 229, 220
#define BROWN 139, 69, 19
#define SIENNA 160, 82, 45
#define WHITE 255, 255, 255
#define BLACK 0, 0, 0
#define DKGRAY 84, 84, 84
#define GRAY 128, 128, 128
#define SHADOW 170, 170, 170
#endif
