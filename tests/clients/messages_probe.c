/* Decodes and encodes messages with the C client's own functions, for check_golden_messages.py.
 *
 *   client_messages decode FILE            what is in it, as JSON
 *   client_messages HELLO HASH PERIOD NAME READS… "" WRITES…    the bytes
 *   client_messages COMMAND SESSION SEQUENCE TIME VALUES…
 *   client_messages BYE SESSION SEQUENCE TIME CODE SENTENCE */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "messages.h"

static const char* const kTypes[] = {"", "HELLO", "WELCOME", "MEASUREMENT", "COMMAND", "ERROR", "BYE"};

static void print_text(const char* key, const char* text) {
  printf("\"%s\": \"", key);
  for (; *text; ++text) printf(*text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
  printf("\"");
}

static void print_signals(const char* key, const lks_signal* signals, int count, int has_limits) {
  printf(", \"%s\": [", key);
  for (int i = 0; i < count; ++i) {
    printf("%s{", i ? ", " : "");
    print_text("name", signals[i].name);
    printf(", ");
    print_text("unit", signals[i].unit);
    if (has_limits)
      printf(", \"initial\": \"%.17g\", \"lower\": \"%.17g\", \"upper\": \"%.17g\"", signals[i].initial,
             signals[i].lower, signals[i].upper);
    printf("}");
  }
  printf("]");
}

static void print_payload(const lks_message* message) {
  if (message->type == LKS_HELLO) {
    printf("\"unread\""); /* controllers do not decode HELLO */
  } else if (message->type == LKS_WELCOME) {
    lks_welcome welcome;
    if (lks_read_welcome(message, &welcome)) {
      printf("null");
    } else {
      printf("{\"version\": 1, \"hash\": \"%016" PRIx64 "\", \"period\": %" PRId64 ", \"step\": %" PRId64
             ", \"mode\": %d, ",
             welcome.schema_hash, welcome.period, welcome.step, welcome.is_realtime);
      print_text("scenario", welcome.scenario);
      printf(", ");
      print_text("connection", welcome.connection);
      print_signals("reads", welcome.reads, welcome.read_count, 0);
      print_signals("writes", welcome.writes, welcome.write_count, 1);
      printf("}");
    }
    lks_free_welcome(&welcome);
  } else if (message->type == LKS_ERROR || message->type == LKS_BYE) {
    char sentence[65536];
    const int code = lks_read_message(message, sentence, sizeof sentence);
    if (code < 0) {
      printf("null");
    } else {
      printf("{\"code\": %d, ", code);
      print_text("sentence", sentence);
      printf("}");
    }
  } else if (message->length % 8 != 0) {
    printf("null");
  } else {
    printf("{\"values\": [");
    for (uint32_t i = 0; i < message->length; i += 8)
      printf("%s\"%.17g\"", i ? ", " : "", lks_get_f64(message->payload + i));
    printf("]}");
  }
}

static int decode(const lks_crc* crc, const char* path) {
  lks_inbox inbox = {malloc(LKS_MAX_MESSAGE), 0, 0, 0, 0, -1};
  FILE* file = fopen(path, "rb");
  if (!file || !inbox.bytes) return 2;
  inbox.end = fread(inbox.bytes, 1, LKS_MAX_MESSAGE, file);
  fclose(file);
  const size_t size = inbox.end;
  lks_message message;
  printf("{\"messages\": [");
  for (int count = 0; lks_take(crc, &inbox, &message); ++count) {
    printf("%s{\"type\": \"%s\", \"session\": %u, \"sequence\": %" PRIu32 ", \"time\": %" PRId64
           ", \"payload\": ",
           count ? ", " : "", kTypes[message.type], message.session, message.sequence, message.time);
    print_payload(&message);
    printf("}");
  }
  printf("], \"bad\": %d, \"incomplete\": %s, ", (int)inbox.dropped,
         inbox.begin < inbox.end ? "true" : "false");
  inbox.begin = 0;
  inbox.end = size;
  printf("\"message\": \"%s\"}\n", lks_take_datagram(crc, &inbox, &message) ? "good" : "bad");
  free(inbox.bytes);
  return 0;
}

int main(int argc, char** argv) {
  static uint8_t bytes[LKS_MAX_MESSAGE];
  static lks_crc crc;
  size_t size = 0;
  lks_crc_make(&crc);
  if (argc == 3 && strcmp(argv[1], "decode") == 0) return decode(&crc, argv[2]);
  if (argc >= 6 && strcmp(argv[1], "HELLO") == 0) {
    int end = 5;
    while (argv[end] && argv[end][0]) ++end;
    argv[end] = NULL;
    const lockstep_demands demands = {strtoull(argv[2], NULL, 16), strtoll(argv[3], NULL, 10),
                                      (const char* const*)argv + 5, (const char* const*)argv + end + 1};
    size = lks_make_hello(&crc, bytes, sizeof bytes, argv[4], &demands);
  } else if (argc >= 5 && strcmp(argv[1], "COMMAND") == 0) {
    for (int i = 5; i < argc; ++i) lks_put_f64(bytes + LKS_HEADER_SIZE + 8 * (i - 5), strtod(argv[i], NULL));
    const lks_message message = {LKS_COMMAND,
                                 (uint32_t)(8 * (argc - 5)),
                                 (uint32_t)strtoul(argv[3], NULL, 10),
                                 strtoll(argv[4], NULL, 10),
                                 NULL,
                                 (unsigned)atoi(argv[2])};
    size = lks_seal(&crc, bytes, &message);
  } else if (argc == 7 && strcmp(argv[1], "BYE") == 0) {
    size = lks_make_bye(&crc, bytes, (unsigned)atoi(argv[2]), (uint32_t)strtoul(argv[3], NULL, 10),
                        strtoll(argv[4], NULL, 10), (unsigned)atoi(argv[5]), argv[6]);
  }
  return fwrite(bytes, 1, size, stdout) == size && size > 0 ? 0 : 2;
}
