"""A script in Ruby that a fork runs cannot tell, and ends as it would otherwise."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Mapping
from pathlib import Path

import pytest

from arena.players.starter_pool import WARM_AFTER
from tests.support.programs import list_command_lines
from tests.support.requirements import require
from tests.support.script_runner import Runner

LOOKS = """
# frozen_string_literal: true
seen = {
  features: $LOADED_FEATURES.sort, path: $LOAD_PATH, constants: Object.constants.sort, globals: global_variables.sort,
  names: [__FILE__, $0, $PROGRAM_NAME, __dir__, __method__.inspect, __ENCODING__.to_s, __LINE__],
  main: [self.inspect, self.class, __FILE__ == $0, instance_variables, singleton_methods, binding.local_variables],
  argv: ARGV, argv_strings: ARGV.map { |word| [word.frozen?, word.encoding.to_s] }, same: $*.equal?(ARGV),
  argf: [ARGF.argv, ARGF.class], special: [$!, $@, $_, $~, $?, $;, $,, $/, $., $&].inspect,
  flags: [$VERBOSE, $DEBUG, $-a, $-i, $-l, $-p, $-W, Warning[:deprecated], Warning[:experimental]],
  frozen_title: [$0.frozen?], frozen: ["text".frozen?, __FILE__.frozen?],
  encodings: [Encoding.default_external, Encoding.default_internal, Encoding.find("locale"), Encoding.find("filesystem")].map(&:to_s),
  streams: [STDIN, STDOUT, STDERR].map { |s|
    [s.inspect, s.sync, s.fileno, s.tty?, s.external_encoding.to_s, s.internal_encoding.to_s, s.binmode?, s.closed?,
     s.close_on_exec?, s.autoclose?, s.lineno_or_none, s.stat.pipe?] },
  same_streams: [$stdin.equal?(STDIN), $stdout.equal?(STDOUT), $stderr.equal?(STDERR), $>.equal?(STDOUT)],
  environment: ENV.to_h, block: File.binread("/proc/self/environ").split("\\0").sort, folder: Dir.pwd, umask: File.umask,
  session: [Process.getsid == Process.pid, Process.getpgrp == Process.pid, Process.getpriority(Process::PRIO_PROCESS, 0)],
  limits: Process.constants.grep(/^RLIMIT_/).sort.to_h { |name| [name, Process.getrlimit(Process.const_get(name))] },
  descriptors: Dir.children("/proc/self/fd").size, comm: File.read("/proc/self/comm"),
  status: File.readlines("/proc/self/status").grep(/^(Umask|Threads|SigBlk|SigCgt|NoNewPrivs|CapEff)/),
  ignored: File.read("/proc/self/status")[/^SigIgn:\\s*(\\h+)/, 1].hex & 0x7fffffff, # those above are the C library's
  signals: (Signal.list.keys - %w[EXIT KILL STOP SEGV BUS ILL FPE VTALRM]).to_h { |name| [name, trap(name, "DEFAULT").inspect] },
  threads: [Thread.list.size, Thread.current == Thread.main, Thread.current.name, Thread.abort_on_exception],
  gc: [GC.stress, GC.measure_total_time],
  methods: [Object, Kernel, IO, Process].map { |kind| [kind.instance_methods.size, kind.private_instance_methods.size, kind.methods.size] },
  tracing: TracePoint.stat.size, data: defined?(DATA), top: (def top = 1; Object.private_method_defined?(:top)), title: "",
  socket: defined?(Socket), json: defined?(JSON), frames: caller_count,
}
require "json"
require "socket"
File.write("seen", JSON.generate(seen) + "\\n", mode: "a")
"""
BEFORE = "def caller_count = Kernel.send('cal' 'ler', 1).size\nclass IO; def lineno_or_none = (lineno rescue nil); end\n"
DIFFERENT = {"frames": (1, 3), "frozen_title": ([False], [True])}
"""What a script can tell: plainly, and warm. docs/reference/programs.md lists it."""


@pytest.fixture
def runner(tmp_path: Path, mark: str) -> Runner:
    """Return a way to run scripts, of which none may leave anything behind."""
    require("ruby")
    return Runner(str(shutil.which("ruby")), tmp_path / "script.rb", mark)


def test_a_script_cannot_tell(runner: Runner) -> None:
    """All that it can look at is the same, but for what is documented."""
    text = f"# frozen_string_literal: true\n{BEFORE}{LOOKS}"
    assert runner.run_both_ways(text, "an", "argument") == ((b"", b"", "exit status 0"),) * 2
    plain, *_, warm = (runner.folder / "seen").read_text().splitlines()
    seen = [json.loads(line) for line in (plain, warm)]
    for name, values in DIFFERENT.items():
        assert tuple(look.pop(name) for look in seen) == values
    for name in seen[0]:
        assert seen[0][name] == seen[1][name], name


ENDS = {
    "nothing left": "$stdin.each_line { |line| puts line }",
    "input by gets": "puts gets; p $<.lineno, $.",
    "an unclosed file": "file = File.open(name, 'w'); file.write('written')",
    "a file in a constant": "KEPT = File.open(name, 'w'); KEPT.write('written')",
    "exit functions": "at_exit { puts 'first' }; at_exit { puts 'last'; p $! }; END { puts 'end' }",
    "a status in an exit function": "at_exit { exit 5 }; raise 'no'",
    "frames in an exit function": "at_exit { puts $!.backtrace }; raise 'no'",
    "an exception in an exit function": "at_exit { raise 'late' }; puts 'here'",
    "a finaliser": "kept = Object.new; ObjectSpace.define_finalizer(kept, proc { puts 'gone' })",
    "a temporary file": "require 'tempfile'; kept = Tempfile.new('a', Dir.pwd); puts 'made'",
    "a thread": "Thread.new { begin; sleep; ensure; puts 'ended'; end }; Thread.pass; sleep 0.01",
    "a thread that fails": "Thread.report_on_exception = false\nThread.new { raise 'no' }.join",
    "a fibre": "fibre = Fiber.new { begin; Fiber.yield; ensure; puts 'ended'; end }; fibre.resume",
    "a child": "fork { puts 'child' }; Process.wait; p $?.exitstatus",
    "unflushed output": "$stdout.write('x' * 3)",
    "synchronous output": "$stdout.sync = true; print 'x'; $stderr.print 'y'; print 'z'",
    "a large output": "$stdout.write('x' * 1000); $stderr.write('y' * 1000)",
    "no output": "$stdout.close; puts 'nobody hears it'",
    "another output": "require 'stringio'; $stdout = StringIO.new; puts 'nobody reads it'",
    "a status": "puts 'words'; exit 3",
    "a status at once": "at_exit { puts 'never' }; print 'lost'; exit! 4",
    "last words": "abort 'bye'",
    "an exception": "def fail! = raise(ArgumentError, 'no')\nfail!",
    "a chain of exceptions": "begin\n  1 / 0\nrescue ZeroDivisionError\n  raise 'no'\nend",
    "an exception with frames of its own": "raise RuntimeError, 'no', ['there:1']",
    "an exception with no frames": "raise RuntimeError, 'no', []",
    "a misspelt name": "[1, 2].frist",
    "an undefined name": "value = nil\nputs value.size + 1",
    "something thrown": "throw :nobody",
    "an interrupt": "raise Interrupt",
    "a signal of its own": "raise SignalException, 'TERM'",
    "a signal": "Process.kill(:USR1, Process.pid); sleep",
    "a signal that is handled": "trap('TERM') { puts 'no'; exit 2 }; Process.kill(:TERM, Process.pid); sleep",
    "a return": "puts 'here'\nreturn\nputs 'never'",
    "a file beside it": "require_relative 'beside'\nputs Beside.where",
    "a loaded file": "load File.join(__dir__, 'beside.rb')\nputs Beside.where",
    "a file without that": "require 'beside'",
    "a refinement": "module Loud; refine(String) { def loud = upcase }; end\nusing Loud\nputs 'a'.loud",
    "a warning": "warn 'careful'; warn 'here', uplevel: 0",
    "a constant set twice": "A = 1\nObject.const_set(:A, 2)",
    "a local variable": "kept = 1\np binding.local_variable_get(:kept), eval('kept + 1')",
    "names of methods": "def here = __method__\np here, self, self.class, method(:here).owner",
    "a main guard": "puts 'main' if __FILE__ == $0\nputs 'program' if $PROGRAM_NAME == __FILE__",
    "another title": "$0 = 'other'; p $0; puts File.read('/proc/self/cmdline').delete(\"\\0\")",
    "another program": "$stdout.flush; exec 'sh', '-c', 'cat; ls -l /proc/self/fd | grep -c pipe; exit 6'",
    "a syntax of its own": "#encoding: utf-8\nputs 'ä'.encoding, 'ä'.size, __ENCODING__",
    "a literal": "begin; 'a' << 'b'; puts 'changed'; rescue FrozenError => error; puts error.message; end",
    "random numbers": "p Random.new(5).rand(100), [1, 2, 3].shuffle(random: Random.new(1))",
    "a deep recursion": "def deeper = deeper\nbegin; deeper; rescue SystemStackError; puts 'deep'; end",
}  # fmt: skip
BESIDE = "module Beside\n  def self.where = [__FILE__, __dir__]\nend\n"


@pytest.mark.parametrize("text", ENDS.values(), ids=ENDS)
def test_a_script_ends_as_it_would_otherwise(runner: Runner, text: str) -> None:
    """What it writes, its status and its files are the same, whatever is left to do at its end."""
    start = "# frozen_string_literal: true\nname = File.join(Dir.pwd, 'file')\n"
    files: list[Mapping[str, str]] = []
    runner.script.write_text(start + text)
    (runner.folder / "beside.rb").write_text(BESIDE)
    said = []
    for _ in range(WARM_AFTER + 1):
        said.append(runner.run())
        files.append({path.name: path.read_text() for path in runner.folder.iterdir()})
        (runner.folder / "file").unlink(missing_ok=True)
    assert runner.was_warm()
    assert said[0] == said[-1]
    assert files[0] == files[-1]


UNUSUAL = {
    "data": "puts DATA.read\n__END__\nwritten below",
    "the top's variables": "kept = 1\np TOPLEVEL_BINDING.local_variables",
    "frames": "p caller",
    "a warning": "# -*- warn_indent: true -*-\nif true\n  puts 1\n    end",
    "a mistake": "puts (",
    "an option in its first line": "#!/usr/bin/env ruby -w\nputs $VERBOSE",
    "another language": "#!/bin/sh\necho here",
}


@pytest.mark.parametrize("text", UNUSUAL.values(), ids=UNUSUAL)
def test_what_is_unusual_is_started_plainly(runner: Runner, text: str) -> None:
    """What a fork would show otherwise is never run by one."""
    said = [runner.run(text) for _ in range(WARM_AFTER + 2)]
    assert not runner.was_warm()
    assert len({*said}) == 1


def test_options_of_the_environment_are_a_plain_start(runner: Runner) -> None:
    """RUBYOPT may load anything."""
    runner.environment["RUBYOPT"] = "-w"
    said = [runner.run("p $VERBOSE") for _ in range(WARM_AFTER + 2)]
    assert {*said} == {(b"true\n", b"", "exit status 0")}
    assert not runner.was_warm()


def test_forks_draw_different_numbers(runner: Runner) -> None:
    """A fork inherits no generator of random numbers that has been used."""
    runner.run_both_ways("p rand(1 << 60), [*1..99].shuffle, Random.new_seed")
    assert runner.run()[0] != runner.run()[0]
    assert runner.was_warm()


def test_a_changed_script_is_read_again(runner: Runner) -> None:
    """Each start runs what stands in the file then."""
    runner.run_both_ways("puts 1")
    assert runner.run("puts 22")[0] == b"22\n"
    assert runner.was_warm()
    assert b"SyntaxError" in runner.run("puts (")[1] or b"syntax error" in runner.run()[1]
    assert runner.run("puts 333")[0] == b"333\n"
    assert runner.was_warm()


def test_what_leaves_its_session_is_ended(runner: Runner, mark: str) -> None:
    """A daemon that a script leaves behind does not outlive it, plainly and warm."""
    runner.run_both_ways("fork { Process.setsid; fork { sleep 600 } }\nspawn('sleep', '600')")
    assert list_command_lines(mark) == []


def test_a_killed_starter_is_replaced(runner: Runner, caplog: pytest.LogCaptureFixture) -> None:
    """What a bot has ended is started anew; a start in between is plain, and one warning says so."""
    runner.run_both_ways("puts 'here'")
    for _ in range(2):
        assert runner.process.plain
        number = runner.process.plain.starter.number
        os.kill(number, signal.SIGKILL)
        os.waitid(os.P_PID, number, os.WEXITED | os.WNOWAIT)
        assert runner.run() == (b"here\n", b"", "exit status 0")
        assert not runner.was_warm()
        assert runner.run() == (b"here\n", b"", "exit status 0")
        assert runner.was_warm()
    assert ["its warm process has ended" in record.message for record in caplog.records] == [True]


def test_a_script_may_end_what_starts_it(runner: Runner) -> None:
    """Its own end is not known then, and the next script is started as before."""
    runner.script.write_text("Process.kill(:KILL, Process.ppid)\n$stdin.each_line { }")
    for _ in range(WARM_AFTER + 3):
        runner.run()
    runner.script = runner.script.with_name("other.rb")
    plain, warm = runner.run_both_ways("puts 'here'")
    assert plain == warm == (b"here\n", b"", "exit status 0")


def test_ruby_without_gems_is_warm_too(runner: Runner) -> None:
    """It is another interpreter than one with them."""
    runner.options = ("--disable-gems",)
    text = "p defined?(Gem), ARGV, $0 == __FILE__\nputs File.read('/proc/self/cmdline').tr(\"\\0\", ' ').strip"
    plain, warm = runner.run_both_ways(text, "word")
    assert plain == warm
    runner.options = ()
    assert runner.run_both_ways(text, "word")[1] != warm
