#!/usr/bin/env python3
"""Videos and images of a run: their number, content and place, and what remains after a failure."""

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy

LOCKSTEP = os.environ["LOCKSTEP"]
SIZE = "160x120"

# A red ball slides to the right through the image, 1 m/s.
SLIDER = """<scenario name="slider" step="1 ms" duration="2 s" gravity="0 0 0">
  <object name="ball" position="0 -0.5 0" velocity="0 1 0"><sphere radius="0.1" color="#e01010"/></object>
</scenario>
"""
CAMERA = ["--camera", "target=0,0,0 distance=4m azimuth=0 elevation=0"]
# Diverges at 0.3 s, by a huge force.
FAILING = """<scenario name="failing" step="1 ms" duration="2 s">
  <object name="ball"><sphere radius="0.1" mass="1e-6"/></object>
  <event at="0.3 s" action="push" target="ball" force="1e9 0 0" length="1 s"/>
</scenario>
"""


def lockstep(*arguments, cwd, **options) -> subprocess.CompletedProcess:
    return subprocess.run([LOCKSTEP, *arguments], cwd=cwd, capture_output=True, text=True, timeout=200, check=False, **options)


def render(*arguments, cwd, **options) -> subprocess.CompletedProcess:
    return lockstep("render", *arguments, cwd=cwd, **options)


def must(done: subprocess.CompletedProcess) -> subprocess.CompletedProcess:
    assert done.returncode == 0, f"{done.args}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def rejected(done: subprocess.CompletedProcess, code: int, text: str) -> None:
    assert done.returncode == code, f"{done.args}: exit code {done.returncode}, expected {code}\n{done.stdout}{done.stderr}"
    assert text in done.stderr, f"{done.args}: expected '{text}' in\n{done.stderr}"


def pixels(file: Path, width: int = 160, height: int = 120) -> numpy.ndarray:
    """Frames × rows × columns × red, green, blue."""
    raw = subprocess.run(["ffmpeg", "-v", "error", "-i", file, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                         capture_output=True, check=True).stdout
    return numpy.frombuffer(raw, dtype=numpy.uint8).reshape(-1, height, width, 3)


def middle_of_red(frame: numpy.ndarray) -> tuple:
    red, green, blue = (frame[:, :, i].astype(int) for i in range(3))
    rows, columns = numpy.nonzero((red > 60) & (red > 2 * green) & (red > 2 * blue))
    assert len(rows) > 20, "nothing red in the image"
    return columns.mean() + 0.5, rows.mean() + 0.5


def expected_column(y: float) -> float:
    """The image column of a point at x = z = 0, seen from 4 m along x with a vertical field of view of 36 degrees."""
    return 80.0 + y / 4.0 * 60.0 / numpy.tan(numpy.radians(18.0))


def hash_of(done: subprocess.CompletedProcess) -> str:
    return next(line.split()[1] for line in done.stdout.splitlines() if line.startswith("hash:"))


def check_video(folder: Path) -> None:
    done = must(render("slider.xml", "-o", "video.mp4", "--for", "1s", "--size", SIZE, *CAMERA, cwd=folder))
    assert "30 frames" in done.stdout, done.stdout
    probe = json.loads(subprocess.run(
        ["ffprobe", "-v", "error", "-count_frames", "-show_streams", "-of", "json", "video.mp4"], cwd=folder,
        capture_output=True, check=True).stdout)["streams"]
    assert len(probe) == 1, probe
    video = {key: probe[0][key] for key in ("codec_name", "pix_fmt", "width", "height", "nb_read_frames", "r_frame_rate")}
    assert video == {"codec_name": "h264", "pix_fmt": "yuv420p", "width": 160, "height": 120, "nb_read_frames": "30",
                    "r_frame_rate": "30/1"}, video
    frames = pixels(folder / "video.mp4")
    for i in (0, 10, 29):
        column, row = middle_of_red(frames[i])
        assert abs(column - expected_column(-0.5 + i / 30)) < 1.5 and abs(row - 60) < 1.5, (i, column, row)
    # Rendering does not change the run.
    run = must(lockstep("run", "slider.xml", "--for", "1s", cwd=folder))
    assert hash_of(done) == hash_of(run), "rendering changed the run"
    assert not list(folder.glob("*.part"))


def check_folder_and_image(folder: Path) -> None:
    must(render("slider.xml", "-o", "frames", "--for", "1s", "--fps", "10", "--size", SIZE, *CAMERA, cwd=folder))
    names = sorted(path.name for path in (folder / "frames").iterdir())
    assert names == [f"frame-{i:06}.png" for i in range(10)], names
    must(render("slider.xml", "-o", "one.png", "--at", "0.5s", "--size", SIZE, *CAMERA, cwd=folder))
    one = pixels(folder / "one.png")
    assert numpy.array_equal(one, pixels(folder / "frames/frame-000005.png")), "the image differs from the frame"
    rejected(render("slider.xml", "-o", "frames", "--size", SIZE, cwd=folder), 2, "already contains images")


def check_speed_and_edits(folder: Path) -> None:
    done = must(render("slider.xml", "-o", "slow.mp4", "--for", "0.2s", "--speed", "0.1", "--fps", "20", "--size", SIZE,
                       "--set", "//object/@velocity=0 5 0", *CAMERA, cwd=folder))
    assert "40 frames" in done.stdout, done.stdout
    column, _ = middle_of_red(pixels(folder / "slow.mp4")[20])  # 0.1 s of simulated time
    assert abs(column - expected_column(-0.5 + 0.5)) < 1.5, column


def check_camera(folder: Path) -> None:
    """Following the ball keeps it in the middle; the automatic camera shows all of its motion."""
    must(render("slider.xml", "-o", "followed", "--fps", "2", "--size", SIZE, "--camera", "follow=ball", cwd=folder))
    must(render("slider.xml", "-o", "whole", "--fps", "2", "--size", SIZE, cwd=folder))
    for i in range(4):
        column, row = middle_of_red(pixels(folder / f"followed/frame-{i:06}.png")[0])
        assert abs(column - 80) < 2 and abs(row - 60) < 2, (i, column, row)
        column, row = middle_of_red(pixels(folder / f"whole/frame-{i:06}.png")[0])
        assert 5 < column < 155 and 5 < row < 115, (i, column, row)


def check_replay(folder: Path) -> None:
    must(lockstep("run", "slider.xml", "--for", "0.5s", "--record", "run.rec", cwd=folder))
    done = must(render("--replay", "run.rec", "-o", "replayed", "--fps", "10", "--size", SIZE, *CAMERA, cwd=folder))
    must(render("slider.xml", "-o", "live", "--for", "0.5s", "--fps", "10", "--size", SIZE, *CAMERA, cwd=folder))
    replayed, live = sorted((folder / "replayed").iterdir()), sorted((folder / "live").iterdir())
    # The end of a recording is known only when it is reached, so its last instant is drawn, too.
    assert [path.name for path in replayed[:5]] == [path.name for path in live], (replayed, live)
    for a, b in zip(replayed, live):
        assert a.read_bytes() == b.read_bytes(), a.name
    must(render("--replay", "run.rec", "-o", "part.mp4", "--for", "0.2s", "--size", SIZE, cwd=folder))
    assert "6 frames" in done.stdout, done.stdout


def check_bad_arguments(folder: Path) -> None:
    cases = [
        (["-o", "video.avi"], "unknown extension"),
        (["-o", "out.png"], "an image needs a time"),
        (["-o", "out.mp4", "--at", "1s"], "expected a '.png' file"),
        (["-o", "out.png", "--at", "1s", "--fps", "5"], "do not apply to a single image"),
        (["-o", "out.png", "--at", "0.5ms"], "not a multiple of the physics step"),
        (["-o", "out.mp4", "--size", "99999x10"], "expected WIDTHxHEIGHT from 16x16 to 7680x4320"),
        (["-o", "out.mp4", "--size", "640"], "expected WIDTHxHEIGHT"),
        (["-o", "out.mp4", "--size", "641x480"], "even"),
        (["-o", "out.mp4", "--fps", "0"], "expected 1 to 240"),
        (["-o", "out.mp4", "--fps", "nan"], "expected 1 to 240"),
        (["-o", "out.mp4", "--speed", "-1"], "expected a factor"),
        (["-o", "out.mp4", "--for", "1e9"], "at most 1000000 are allowed"),
        (["-o", "out.mp4", "--for", "3kg"], "does not fit"),
        (["-o", "out.mp4", "--camera", "azimut=3"], "did you mean 'azimuth'?"),
        (["-o", "out.mp4", "--camera", "follow=bal"], "did you mean 'ball'?"),
        (["-o", "out.mp4", "--camera", "distance=-1m"], "out of range"),
        (["-o", "out.mp4", "--camera", "target=1,2"], "expected 3"),
        (["-o", "out.mp4", "--camera", "follow=ball target=0,0,0"], "expected one of them"),
        (["-o", "out.mp4", "--camera", "near"], "expected SETTING=VALUE"),
        (["-o", "out.mp4", "--show", "mass"], "expected one of 'masses', 'frames', 'joints', 'collision'"),
        (["-o", "missing/out.mp4"], "cannot be written"),
        (["-o", "slider.xml/frames"], "cannot be created"),
    ]
    for arguments, text in cases:
        rejected(render("slider.xml", *arguments, cwd=folder), 2, text)
    rejected(render("nothing.xml", "-o", "out.mp4", cwd=folder), 2, "nothing.xml")
    assert not list(folder.glob("out*")), list(folder.glob("out*"))


def check_missing_libraries(folder: Path) -> None:
    """Simulates missing libraries with libraries that cannot be opened."""
    fakes = folder / "fakes"
    fakes.mkdir()
    environment = os.environ | {"LD_LIBRARY_PATH": str(fakes)}
    small = ["slider.xml", "--at", "0.5s", "--size", SIZE, *CAMERA]
    (fakes / "libEGL.so.1").write_bytes(b"")
    must(render(*small, "-o", "osmesa.png", cwd=folder, env=environment))
    column, row = middle_of_red(pixels(folder / "osmesa.png")[0])
    assert abs(column - 80) < 1.5 and abs(row - 60) < 1.5, (column, row)
    (fakes / "libOSMesa.so.8").write_bytes(b"")
    done = render(*small, "-o", "none.png", cwd=folder, env=environment)
    rejected(done, 1, "no OpenGL for offscreen rendering")
    assert done.stderr.count("\n") == 1 and "libosmesa6" in done.stderr, done.stderr

    done = render("slider.xml", "-o", "out.mp4", "--size", SIZE, cwd=folder, env=os.environ | {"PATH": "/nowhere"})
    rejected(done, 1, "install the package ffmpeg")
    assert not list(folder.glob("out*"))


def check_failures(folder: Path) -> None:
    """A video that cannot be finished leaves no file, and the error has the reason."""
    for output in ("failed.mp4", "failed.png"):
        moment = ["--at", "1s"] if output.endswith("png") else []
        rejected(render("failing.xml", "-o", output, *moment, "--size", SIZE, cwd=folder), 1, "diverged")
    programs = folder / "programs"
    programs.mkdir()
    (programs / "ffmpeg").write_text("#!/bin/sh\nhead -c 100000 >/dev/null\necho 'No space left on device' >&2\nexit 1\n")
    (programs / "ffmpeg").chmod(0o755)
    path = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}"}
    rejected(render("slider.xml", "-o", "failed.mp4", "--size", SIZE, cwd=folder, env=path), 1, "No space left on device")

    def limit_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))

    rejected(render("slider.xml", "-o", "full", "--size", SIZE, cwd=folder, preexec_fn=limit_files), 1, "File too large")
    assert not list((folder / "full").iterdir()), "half an image is left"

    run = subprocess.Popen([LOCKSTEP, "render", "slider.xml", "-o", "failed.mp4", "--speed", "1e-3", "--size", SIZE],
                           cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while not list(folder.glob("failed.mp4.*.part")) and run.poll() is None:
        time.sleep(0.01)
    time.sleep(0.5)
    run.terminate()
    _, errors = run.communicate(timeout=60)
    assert run.returncode == 1 and "interrupted" in errors, (run.returncode, errors)
    assert not list(folder.glob("failed*")), list(folder.glob("failed*"))


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "slider.xml").write_text(SLIDER, encoding="utf-8")
        (folder / "failing.xml").write_text(FAILING, encoding="utf-8")
        for check in (check_video, check_folder_and_image, check_speed_and_edits, check_camera, check_replay,
                      check_bad_arguments, check_missing_libraries, check_failures):
            check(folder)
            print(f"{check.__name__}: ok", flush=True)


if __name__ == "__main__":
    sys.exit(main())
