/* A controller for the connection in LOCKSTEP_ADDRESS (TCP) that uses only lockstep_core.h, as a microcontroller would: it
 * commands 1 and -1 until the run is over. With arguments it prints what it decodes from golden messages instead. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lockstep_core.h"

enum { READS = 7, WRITES = 2 };
static uint8_t payload[8 * READS], out[LKS_CORE_OVERHEAD + 64];
static lks_core core = {.payload = payload, .size = sizeof payload};

static int print_files(int count, char** files) {
  for (int i = 0; i < count; ++i) {
    FILE* file = fopen(files[i], "rb");
    if (!file) return 2;
    for (int byte = fgetc(file); byte != EOF; byte = fgetc(file)) {
      const int type = lks_core_push(&core, (uint8_t)byte);
      if (type)
        printf("%d %u %.17g\n", type, core.session,
               type == LKS_CORE_MEASUREMENT ? lks_core_number(&core, 0) : 0.0);
    }
    fclose(file);
  }
  const double number = -0.7412109375;
  size_t size = lks_core_hello(out, "plc");
  for (size_t i = 0; i < size; ++i) printf("%02x", out[i]);
  size = lks_core_command(&core, out, &number, 1);
  printf("\n");
  for (size_t i = 0; i < size; ++i) printf("%02x", out[i]);
  printf("\n");
  return 0;
}

int main(int argc, char** argv) {
  if (argc > 1) return print_files(argc - 1, argv + 1);
  const char* port = strrchr(getenv("LOCKSTEP_ADDRESS"), ':') + 1;
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
  inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
  const int wire = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(wire, (struct sockaddr*)&to, sizeof to) != 0) return 2;
  const double commands[WRITES] = {1.0, -1.0};
  size_t size = lks_core_hello(out, "core");
  for (uint8_t byte; write(wire, out, size) == (ssize_t)size && read(wire, &byte, 1) == 1;) {
    const int type = lks_core_push(&core, byte);
    if (type == LKS_CORE_BYE) return 0;
    size = type == LKS_CORE_MEASUREMENT ? lks_core_command(&core, out, commands, WRITES) : 0;
  }
  return 1;
}
