#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace lockstep::serve {

/// A background thread for long jobs, one after the other, so that they block neither the simulation nor the
/// viewers.
class Worker {
 public:
  Worker() : thread_([this] { run(); }) {}
  ~Worker() {
    {
      const std::scoped_lock lock(mutex_);
      is_ending_ = true;
      jobs_.clear();
    }
    changed_.notify_all();
    thread_.join();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// False if too many jobs are waiting. A job must not throw, and ends early when is_ending().
  bool post(std::function<void()> job) {
    const std::scoped_lock lock(mutex_);
    if (jobs_.size() >= kMaxWaiting) return false;
    jobs_.push_back(std::move(job));
    changed_.notify_all();
    return true;
  }
  bool is_ending() const {
    const std::scoped_lock lock(mutex_);
    return is_ending_;
  }

  static constexpr std::size_t kMaxWaiting = 8;

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return is_ending_ || !jobs_.empty(); });
      if (is_ending_) return;
      const std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      lock.lock();
    }
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace lockstep::serve
