/* The robot's end of the serial line to a Create 1 or 2: iRobot's Open Interface. */
#ifndef LS_BB_OPEN_INTERFACE_H
#define LS_BB_OPEN_INTERFACE_H

#include "internal.h"

enum { OI_MODE_OFF, OI_MODE_PASSIVE, OI_MODE_SAFE, OI_MODE_FULL };

/* A byte from the controller. While the robot waits for a time, a way, an angle or an event, bytes queue up. */
void ls_bb_oi_send(unsigned char byte);
/* Answers that were not read yet. */
int ls_bb_oi_available(void);
unsigned char ls_bb_oi_take(void); /* only if there is one */
void ls_bb_oi_drop_answers(void);

bool ls_bb_oi_is_busy(void); /* it does not read its input now */
int ls_bb_oi_mode(void);

/* The bytes of a sensor packet or group of them, and their number; 0 if it does not exist. Packets 19 and 20 begin
 * again at 0. */
enum { OI_MAX_PACKET = 80 };
int ls_bb_oi_packet(int id, unsigned char* bytes);

/* Counts of the encoders, which do not wrap. */
void ls_bb_oi_encoders(long* left, long* right);

#endif
