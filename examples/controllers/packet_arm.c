/* Holds the arm of scenarios/arms/packet-arm.xml at 0.3 rad: UDP and two structs, without any library of Lockstep. */
#include <arpa/inet.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct measurement {
  uint16_t magic, count;
  float speed[2];
  int16_t angle[2]; /* 0.1 mrad */
  uint32_t crc;
};
struct order {
  uint16_t magic, count;
  int32_t torque[2]; /* mN*m */
  uint8_t sum;       /* of the 12 bytes before it */
};

int main(void) {
  const char* port = strrchr(getenv("LOCKSTEP_ADDRESS"), ':') + 1;
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
  inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
  const int wire = socket(AF_INET, SOCK_DGRAM, 0);
  connect(wire, (struct sockaddr*)&to, sizeof to);
  send(wire, "?", 1, 0); /* any datagram announces the controller */
  struct measurement in;
  while (recv(wire, &in, sizeof in, 0) == (ssize_t)sizeof in) {
    struct order out = {21930, in.count, {0, 0}, 0};
    for (int i = 0; i < 2; ++i)
      out.torque[i] = (int32_t)lrint(1000.0 * (40.0 * (0.3 - 1e-4 * in.angle[i]) - 4.0 * in.speed[i]));
    for (size_t i = 0; i < 12; ++i) out.sum = (uint8_t)(out.sum + ((uint8_t*)&out)[i]);
    send(wire, &out, 13, 0);
  }
  return 0;
}
