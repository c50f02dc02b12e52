// Step 1: run a scenario file to its end and look at the result.
//
//     1_run pendulum.xml

#include <cstdio>

#include "lockstep/run.h"

using namespace lockstep;

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fputs("usage: 1_run SCENARIO.xml\n", stderr);
    return 2;
  }
  Run run(ScenarioFile::read(argv[1]));

  if (const Status status = run.advance(run.model().duration / run.model().step); !status.ok()) {
    std::fprintf(stderr, "%s\n", to_string(status).c_str());
    return 1;
  }

  std::printf("%g s, %lld steps\n", run.now().seconds, static_cast<long long>(run.now().step));
  for (std::size_t i = 0; i < run.model().bodies.size(); ++i) {
    const Pose X_WB = run.world().body_pose(BodyId{static_cast<int>(i)});
    std::printf("%-16s at %8.4f %8.4f %8.4f m, turned by %7.4f %7.4f %7.4f %7.4f\n",
                run.model().bodies[i].name.c_str(), X_WB.p.x(), X_WB.p.y(), X_WB.p.z(), X_WB.q.w(), X_WB.q.x(),
                X_WB.q.y(), X_WB.q.z());
  }
  std::printf("hash %016llx\n", static_cast<unsigned long long>(run.hash()));
  return 0;
} catch (const UserError& error) {  // everything that is wrong with the file, one line each
  std::fputs(error.what(), stderr);
  return 2;
}
