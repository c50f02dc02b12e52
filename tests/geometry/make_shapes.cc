// make_shapes FILE.step: writes a small assembly for the tests that damage it.

#include "step_file_testing.h"

int main(int argc, char** argv) {
  using namespace lockstep;
  if (argc != 2) return 2;
  StepFile file;
  const TDF_Label plate = file.add_product(centred_box(100, 40, 10), "plate");
  const TDF_Label pin = file.add_product(BRepPrimAPI_MakeCylinder(5, 30).Shape(), "pin");
  file.set_color(plate, 0.2, 0.4, 0.6);
  const TDF_Label arm = file.add_assembly("arm");
  file.add_instance(arm, plate, "plate:1", placement({50, 0, 0}));
  file.add_instance(arm, pin, "pin:1", placement({90, 0, 5}));
  file.add_instance(arm, pin, "pin:2", placement({10, 0, 5}));
  file.write(argv[1]);
  return 0;
}
