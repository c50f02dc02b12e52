/* CBC of 2009: servo ports begin at 1 and analog ports at 8. Drives a way by its counters, and shows them. */

int main()
{
    set_servo_position(4, 300);
    enable_servos();
    clear_motor_position_counter(0);
    clear_motor_position_counter(3);
    mtp(0, 500, 2000);
    mtp(3, 500, 2000);
    while (!get_motor_done(0) || !get_motor_done(3)) {
        cbc_printf(0, 0, "left %d", get_motor_position_counter(0));
        sleep(.5);
    }
    freeze(0);
    freeze(3);
    printf("range finder %d\n", analog(8));
    beep();
    sleep(1.5);
    ao();
    disable_servos();
    return 0;
}
