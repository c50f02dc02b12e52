/* Console and display: a map of characters, of which the changed row is printed. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LS_BB_LIBRARY
#include "include/botball.h"
#include "internal.h"

enum { kRows = 11, kColumns = 42 };
static char map[kRows][kColumns + 1];

static void print_row(int row) {
  char text[kColumns + 1];
  memcpy(text, map[row], sizeof text);
  int length = kColumns;
  while (length > 0 && text[length - 1] == ' ') --length;
  text[length] = '\0';
  printf("%s\n", text);
}

static void put_text(int column, int row, int columns, int rows, const char* text) {
  if (column < 0) column = 0;
  if (row < 0) row = 0;
  if (column >= columns) {
    column = 0;
    ++row;
  }
  if (row >= rows) row = rows - 1;
  for (; *text && *text != '\n' && column < columns; ++text, ++column) map[row][column] = *text;
  print_row(row);
}

static void clear_map(void) {
  for (int row = 0; row < kRows; ++row) memset(map[row], ' ', kColumns);
}

void display_clear() {
  ls_bb_enter(COST_OTHER, 1);
  clear_map();
  fputc('\f', stdout);
}
void console_clear() {
  display_clear();
}
void cbc_display_clear() {
  ls_bb_enter(COST_OTHER, 1);
  clear_map();
  if (ls_bb_era == ERA_C1) ls_bb_sleep_until(ls_bb_now() + 100 * LS_BB_MS, "cbc_display_clear");
  printf("\n\n\n\n\n\n\n\n\n");
}
void display_printf(int column, int row, const char* format, ...) {
  ls_bb_enter(COST_OTHER, 1);
  char text[1000];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  put_text(column, row, kColumns, ls_bb_era == ERA_L ? 10 : 11, text);
}
void cbc_printf(int column, int row, char* format, ...) {
  ls_bb_enter(COST_OTHER, 1);
  char text[1000];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  put_text(column, row, ls_bb_era == ERA_C1 ? 28 : 29, ls_bb_era == ERA_C1 ? 7 : 8, text);
}
void beep() {
  ls_bb_enter(COST_OTHER, 1);
  fputc('\a', stdout);
  if (ls_bb_era == ERA_C1) ls_bb_sleep_until(ls_bb_now() + 100 * LS_BB_MS, "beep");
}
void tone(int frequency, int milliseconds) {
  (void)frequency;
  ls_bb_enter(COST_OTHER, 1);
  if (ls_bb_era == ERA_C1 && milliseconds > 0) ls_bb_sleep_until(ls_bb_now() + milliseconds * LS_BB_MS, "tone");
}

void ls_bb_display_start(void) {
  clear_map();
}
