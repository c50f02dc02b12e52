/* A robot program as it would have been written for ImperiSim 2.0: it knows the two packets and nothing of
 * Lockstep.
 *
 *     program pipe:PATH | tcp:HOST:PORT      (or the same in LOCKSTEP_ADDRESS)
 *
 * It drives until the rangefinder sees the wall at 0.3 m, stops, raises the arm, and goes back one turn of its
 * wheels. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#pragma pack(push, 1)
struct KissSimToSolidWorksMotor {
  double MotorVelocity;
  double MotorGoal;
  unsigned char MotorHasGoal;
};
struct KissSimToSolidWorksPacket {
  unsigned char KissSimTerminate;
  struct KissSimToSolidWorksMotor Motors[14];
};
struct SolidWorksToKissSimPacket {
  unsigned char SolidWorksTerminate;
  int16_t Analogs[14];
  int32_t Digitals[14]; /* long on Windows */
  int16_t CameraX;
  double XDelta;
  double YDelta;
  double ThetaDelta;
};
#pragma pack(pop)
_Static_assert(sizeof(struct KissSimToSolidWorksPacket) == 239, "motor packet");
_Static_assert(sizeof(struct SolidWorksToKissSimPacket) == 111, "sensor packet");

static int in_fd = -1, out_fd = -1;

static void open_connection(const char* address) {
  char text[512];
  snprintf(text, sizeof text, "%s", address);
  if (strncmp(text, "pipe:", 5) == 0) {
    char path[600];
    snprintf(path, sizeof path, "%s.in", text + 5);
    out_fd = open(path, O_WRONLY);
    snprintf(path, sizeof path, "%s.out", text + 5);
    in_fd = open(path, O_RDONLY);
  } else if (strncmp(text, "tcp:", 4) == 0) {
    char* colon = strrchr(text, ':');
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(colon + 1))};
    *colon = '\0';
    inet_pton(AF_INET, text + 4, &to.sin_addr);
    in_fd = out_fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(in_fd, (struct sockaddr*)&to, sizeof to) != 0) in_fd = -1;
  }
  if (in_fd < 0 || out_fd < 0) {
    perror(address);
    exit(2);
  }
}

/* Motors out, sensors in: one segment. */
static int exchange(const struct KissSimToSolidWorksPacket* motors, struct SolidWorksToKissSimPacket* sensors) {
  if (write(out_fd, motors, sizeof *motors) != (ssize_t)sizeof *motors) return 0;
  for (size_t got = 0; got < sizeof *sensors;) {
    const ssize_t n = read(in_fd, (char*)sensors + got, sizeof *sensors - got);
    if (n <= 0) return 0;
    got += (size_t)n;
  }
  return !sensors->SolidWorksTerminate;
}

int main(int argc, char** argv) {
  const char* address = argc > 1 ? argv[1] : getenv("LOCKSTEP_ADDRESS");
  if (address == NULL) return 2;
  open_connection(address);
  struct KissSimToSolidWorksPacket motors = {0};
  struct SolidWorksToKissSimPacket sensors = {0};
  double x = 0.0, ticks = 0.0;
  const double segment = 0.05, speed = 600.0; /* s, ticks/s */
  int bumps = 0;
  enum { DRIVE, BACK } state = DRIVE;
  motors.Motors[4].MotorGoal = 1023.5; /* upright */
  motors.Motors[4].MotorHasGoal = 1;
  motors.Motors[0].MotorVelocity = motors.Motors[3].MotorVelocity = speed;
  while (exchange(&motors, &sensors)) {
    x += sensors.XDelta;
    bumps += sensors.Digitals[12];
    if (state == DRIVE) {
      ticks += speed * segment;
      if (sensors.Analogs[0] > 500) {
        state = BACK;
        for (int port = 0; port <= 3; port += 3) {
          motors.Motors[port].MotorGoal = ticks - 1000.0;
          motors.Motors[port].MotorHasGoal = 1;
        }
        motors.Motors[4].MotorGoal = 2047.0;
      }
    }
  }
  printf("x %.3f mm, goal %.1f ticks, bumps %d, terminated %d\n", x, ticks - 1000.0, bumps,
         sensors.SolidWorksTerminate);
  return sensors.SolidWorksTerminate ? 0 : 1;
}
