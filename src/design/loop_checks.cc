#include <Eigen/Cholesky>
#include <algorithm>

#include "design/static_checks.h"
#include "lockstep/state.h"
#include "model/kinematics.h"

namespace lockstep {
namespace {

/// A loop with a smaller gap counts as closed, m.
constexpr double kClosed = 1e-4;

/// Searches joint positions that close loops, by damped Gauss-Newton steps with a finite-difference Jacobian.
class LoopCloser {
 public:
  explicit LoopCloser(const Model& model) : model_(model) {
    for (std::size_t i = 0; i < model_.joints.size(); ++i) {
      if (model_.joints[i].initial_position.size() == 1) joints_.push_back(i);
    }
  }

  /// Residuals of each loop: the distance of the origins, and of points along the constrained axes.
  Eigen::VectorXd gaps() const {
    constexpr double kArm = 0.1;  // m along an axis
    const std::vector<Pose> poses = calc_initial_poses(model_);
    Eigen::VectorXd gaps(static_cast<Eigen::Index>(9 * model_.loops.size()));
    gaps.setZero();
    for (std::size_t i = 0; i < model_.loops.size(); ++i) {
      const LoopModel& loop = model_.loops[i];
      const SiteModel &a = model_.site(loop.a), &b = model_.site(loop.b);
      const Pose X_WA = poses[index(a.body)] * a.X_BS, X_WB = poses[index(b.body)] * b.X_BS;
      const auto set = [&](std::size_t k, const Vec3& p) {
        gaps.segment<3>(static_cast<Eigen::Index>(9 * i + 3 * k)) = X_WA * p - X_WB * p;
      };
      set(0, Vec3::Zero());
      if (loop.type != LoopType::kPoint) set(1, kArm * Vec3::UnitZ());
      if (loop.type == LoopType::kWeld) set(2, kArm * Vec3::UnitX());
    }
    return gaps;
  }

  /// Maximum gap of loop i, m.
  static double gap_of(const Eigen::VectorXd& gaps, std::size_t i) {
    double largest = 0.0;
    for (std::size_t k = 0; k < 3; ++k)
      largest = std::max(largest, gaps.segment<3>(static_cast<Eigen::Index>(9 * i + 3 * k)).norm());
    return largest;
  }

  /// The maximum remaining gap, m. A stretched-out arm is singular, so other initial positions are tried, at
  /// increasing distance.
  double close() {
    constexpr int kTries = 30;
    const std::vector<JointModel> start = model_.joints;
    double least = close_from_here();
    std::vector<JointModel> best = model_.joints;
    Random random(1, "loops");
    for (int i = 1; i <= kTries && least > kClosed; ++i) {
      model_.joints = start;
      for (const std::size_t joint : joints_) {
        const double reach = model_.joints[joint].type == JointType::kSlide ? 0.1 : 1.0;  // m, rad
        move(joint, reach * i / 10.0 * (2.0 * random.uniform() - 1.0));
      }
      const double left = close_from_here();
      if (left >= least) continue;
      least = left;
      best = model_.joints;
    }
    model_.joints = best;
    return least;
  }

  std::string positions() const {
    std::string text;
    for (const std::size_t joint : joints_) {
      text += fmt::format("{}{} = {:.4g}", text.empty() ? "" : ", ", model_.joints[joint].name,
                          model_.joints[joint].initial_position[0]);
    }
    return text;
  }

 private:
  double close_from_here() {
    constexpr int kIterations = 200;
    double damping = 1e-3;
    Eigen::VectorXd error = gaps();
    for (int i = 0; i < kIterations && error.norm() > 0.01 * kClosed; ++i) {
      const Eigen::MatrixXd J = jacobian(error);
      const Eigen::MatrixXd A = J.transpose() * J + damping * Eigen::MatrixXd::Identity(J.cols(), J.cols());
      const Eigen::VectorXd step = A.ldlt().solve(-J.transpose() * error);
      const std::vector<JointModel> before = model_.joints;
      for (std::size_t k = 0; k < joints_.size(); ++k) move(joints_[k], step[static_cast<Eigen::Index>(k)]);
      const Eigen::VectorXd moved = gaps();
      const bool is_better = moved.norm() < error.norm();
      damping *= is_better ? 0.3 : 10.0;
      if (is_better) {
        error = moved;
      } else {
        model_.joints = before;
      }
      if (damping > 1e12) break;
    }
    double largest = 0.0;
    for (std::size_t i = 0; i < model_.loops.size(); ++i) largest = std::max(largest, gap_of(error, i));
    return largest;
  }

  void move(std::size_t joint, double by) {
    JointModel& moved = model_.joints[joint];
    double& position = moved.initial_position[0];
    position += by;
    if (moved.lower) position = std::clamp(position, *moved.lower, *moved.upper);
  }

  Eigen::MatrixXd jacobian(const Eigen::VectorXd& error) {
    constexpr double kDifference = 1e-6;  // rad or m
    Eigen::MatrixXd J(error.size(), static_cast<Eigen::Index>(joints_.size()));
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      double& position = model_.joints[joints_[k]].initial_position[0];
      const double before = position;
      position += kDifference;
      J.col(static_cast<Eigen::Index>(k)) = (gaps() - error) / kDifference;
      position = before;
    }
    return J;
  }

  Model model_;
  std::vector<std::size_t> joints_;
};

}  // namespace

Scenario with_open_loops(Scenario scenario) {
  constexpr double kAnyLength = 1e9;  // m
  const auto open = [&](std::vector<Loop>& loops) {
    for (Loop& loop : loops) loop.tolerance = kAnyLength;
  };
  open(scenario.loops);
  for (Robot& robot : scenario.robots) open(robot.loops);
  return scenario;
}

void check_loops(const Model& model, Diagnostics& diagnostics) {
  if (model.loops.empty()) return;
  LoopCloser closer(model);
  const Eigen::VectorXd start = closer.gaps();
  std::string open;
  double widest = 0.0;
  for (std::size_t i = 0; i < model.loops.size(); ++i) {
    const double gap = LoopCloser::gap_of(start, i);
    widest = std::max(widest, gap);
    if (gap > kClosed) open += fmt::format("{}'{}'", open.empty() ? "" : ", ", model.loops[i].name);
  }
  if (open.empty()) return;
  const double left = closer.close();
  if (left > kClosed) {
    diagnostics.error({}, "loops {} cannot close: {:.4g} m apart at the start, and still {:.4g} m at {}", open,
                      widest, left, closer.positions());
  } else {
    diagnostics.warn({}, "loops {} are open by {:.4g} m at the start; they close at {}", open, widest,
                     closer.positions());
  }
}

}  // namespace lockstep
