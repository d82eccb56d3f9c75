# frozen_string_literal: true

# The starter of scripts in Ruby: `ruby warm_ruby.rb DESCRIPTOR BLANKS`, which is a socket of the host.
#
# It answers the host's requests as starter_server.py does: a script is run in a fork of this process, where it
# must not be able to tell, but for what docs/reference/programs.md lists. Nothing is loaded here that
# a script would find loaded, and no constant or variable is left.
#
# The blanks make room for the command line that a fork shows in place of this one.

# Answers the requests of a host, until the host is gone.
class ArenaStarter
  MAX_REQUEST_BYTES = 1 << 18
  STREAM_MODES = [IO::RDONLY, IO::WRONLY, IO::WRONLY].freeze
  STREAM_NAMES = %w[r w w].freeze
  PRCTL = { 'x86_64' => 157, 'aarch64' => 167 }.freeze # the number of the system call
  SUBREAPER = 36 # PR_SET_CHILD_SUBREAPER
  END_SIGNALS = %w[HUP INT TERM].freeze # the host's end ends it instead
  STATE, SESSION, START_TIME = 0, 3, 19 # fields of /proc/PID/stat, behind the name
  MAX_SCANS = 10 # of all children, until none of them has ended meanwhile
  END_TIMEOUT_SECONDS = 10 # for all programs to be gone when the host is
  POLL_SECONDS = 0.01
  UNUSUAL = /^__END__\r?$|\bTOPLEVEL_BINDING\b|\bERB\b|\bcaller(?:_locations)?\b|\A\xEF\xBB\xBF/n.freeze
  PLAIN_HEADER = %r{\A(?!\#!)|\A\#!/\S*(?:/env[ \t]+)?ruby[0-9.]*[ \t]*$}n.freeze # a line without options of Ruby's

  # Notes whether anything is said on standard error.
  class ErrorCatcher
    attr_reader :heard

    def write(*)
      @heard = true
      0
    end
  end

  def initialize(descriptor)
    @host = IO.for_fd(descriptor, 'r+b')
    @host.sync = true
    @host.close_on_exec = true
    @host_number = Process.ppid
    @programs = [] # which the host has not reaped yet
    @scripts = {}
    @handlers = END_SIGNALS.to_h { |name| [name, trap(name, 'IGNORE')] }
    @name = File.binread('/proc/self/comm').chomp
    File.binwrite('/proc/self/comm', 'arena-starter')
  end

  # Tells the host what can be done here; returns, in a fork, the script that is to be run, and what hides the frames below it.
  def take_script
    can_start = subreaper?
    answer(0, can_start && fit? ? 1 : 0, can_start ? 1 : 0)
    Process.respond_to?(:warmup) ? Process.warmup : 4.times { GC.start } # what is old is not written to in forks
    loop do
      found = serve
      return found if found
    end
  end

  private

  def subreaper?
    number = PRCTL[RUBY_PLATFORM[/\A\w+?(?=-)/]]
    !number.nil? && syscall(number, SUBREAPER, 1, 0, 0, 0).zero?
  rescue SystemCallError, NotImplementedError
    false
  end

  def fit?
    RUBY_ENGINE == 'ruby' && Process::Status.respond_to?(:wait) && Thread.list.size == 1 && !$VERBOSE && !$DEBUG
  end

  def serve
    number, asked, *details = receive.split("\0", -1)
    case asked
    when 'warm' then return fork_script(number, details)
    when 'find' then answer(number, *finish(details.map(&:to_i)))
    when 'reap' then answer(number, reap(details[0].to_i) || '')
    else answer(number, 0, Errno::ENOSYS::Errno)
    end
    nil
  rescue EOFError, SystemCallError # the host is gone
    end_all
  end

  def receive
    @host.sysread(MAX_REQUEST_BYTES)
  rescue Errno::EINTR # a program has ended
    retry
  end

  def answer(*words)
    @host.syswrite(words.join("\0"))
  end

  # Runs a script in a fork; answers 0 where it has to be started plainly.
  def fork_script(number, details)
    held, (folder, interpreter, *words) = details.shift(STREAM_MODES.size), details
    words.each { |word| word.force_encoding(Encoding.find('locale')) }
    process = (code = compile(words[0])) && (streams = open_streams(held)) && spawn_fork
    if process.nil? && streams
      become(folder, interpreter, words, streams)
      return [code, build_frame_hider(words[0])]
    end
    streams&.each(&:close)
    @programs << process if process
    answer(number, process || 0)
    nil
  end

  # Opens the host's pipes; nil where that is not allowed.
  def open_streams(held)
    held.zip(STREAM_MODES, STREAM_NAMES).map do |descriptor, mode, name|
      IO.for_fd(IO.sysopen("/proc/#{@host_number}/fd/#{descriptor}", mode), name)
    end
  rescue SystemCallError
    nil
  end

  # Forks; returns the number of the fork, nil in the fork, or false where that is not possible.
  def spawn_fork
    fork
  rescue SystemCallError
    false
  end

  # Makes this fork what a new interpreter would be that begins to run a script.
  def become(folder, interpreter, words, streams)
    Process.setsid
    streams.each_with_index { |stream, number| IO.for_fd(number, STREAM_NAMES[number], autoclose: false).reopen(stream) }
    [*streams, @host].each(&:close)
    @handlers.each { |name, handler| trap(name, handler || 'DEFAULT') }
    File.binwrite('/proc/self/comm', @name)
    Dir.chdir(folder)
    $0 = words[0].dup
    Process.setproctitle([interpreter, *words].join(' ').byteslice(0, ARGV[0].bytesize))
    ARGV.replace(words.drop(1).each(&:freeze))
    Object.send(:remove_const, :ArenaStarter)
  rescue Exception # it may be anything
    exit!(127)
  end

  # Returns what sees that an exception that ends the script shows the script's frames only.
  def build_frame_hider(script)
    own = "#{__FILE__}:"
    hide = lambda do |problem|
      return if problem.nil? || SystemExit === problem || problem.frozen? || !problem.backtrace

      shown = problem.backtrace.reject { |frame| frame.start_with?(own) }
      shown << script if shown.empty? # as Ruby does, which takes the file that it has started with
      problem.define_singleton_method(:backtrace) { shown }
      hide.call(problem.cause)
    end
  end

  # Returns a script's code, or nil if it is unusual, or compiling it says anything at all.
  def compile(script)
    found = File.stat(script)
    state = [found.dev, found.ino, found.size, found.mtime, found.ctime]
    known, code = @scripts[script]
    return code if known == state

    @scripts[script] = [state, nil]
    text = File.binread(script)
    return nil if UNUSUAL.match?(text) || !PLAIN_HEADER.match?(text)

    code = compile_silently(script)
    GC.start
    @scripts[script] = [state, code]
    code
  rescue SystemCallError
    nil
  end

  def compile_silently(script)
    errors = $stderr
    $stderr = said = ErrorCatcher.new # a warning is said each time, and by the bot
    code = RubyVM::InstructionSequence.compile_file(script)
    said.heard ? nil : code
  rescue SyntaxError, ArgumentError
    nil
  ensure
    $stderr = errors
  end

  # Returns the status of a program that has ended, or nil. `Process.wait` would leave it in `$?`.
  def reap(process)
    status = Process::Status.wait(process, Process::WNOHANG)
    return nil if status.nil? || status.pid != process

    @programs.delete(process)
    status.signaled? ? -status.termsig : status.exitstatus
  end

  # Lists what ended programs have left behind; if that is nothing, reaps them.
  def finish(ended)
    left = find_leftovers(ended)
    return left unless left.empty?

    (ended & @programs).filter_map { |program| (status = reap(program)) && "#{program}=#{status}" }
  end

  # Lists processes with their start times: those in the session of an ended program, and when none runs, all.
  def find_leftovers(ended)
    found = []
    MAX_SCANS.times do
      alone, gone, found = (@programs - ended).empty?, false, []
      (list_children(Process.pid) - @programs).each do |child|
        if Process::Status.wait(child, Process::WNOHANG)
          gone = true
        elsif alone || ended.include?(read_stat(child)[SESSION].to_i)
          found.concat(list_tree(child))
        end
      end
      break if !found.empty? || !gone
    end
    found
  end

  def list_children(process)
    Dir.children("/proc/#{process}/task").flat_map do |thread|
      File.read("/proc/#{process}/task/#{thread}/children").split.map(&:to_i)
    end
  rescue SystemCallError # it has ended
    []
  end

  def list_tree(process)
    waiting, found = [process], []
    while (member = waiting.pop)
      waiting.concat(list_children(member))
      fields = read_stat(member)
      found << "#{member} #{fields[START_TIME]}" unless fields.empty? || 'ZX'.include?(fields[STATE])
    end
    found
  end

  # Returns the fields of a process's /proc/PID/stat from the third on, or none.
  def read_stat(process)
    File.binread("/proc/#{process}/stat").rpartition(')').last.split
  rescue SystemCallError
    []
  end

  # Ends all programs and whatever they have started, and this process.
  def end_all
    last = Process.clock_gettime(Process::CLOCK_MONOTONIC) + END_TIMEOUT_SECONDS
    until (children = list_children(Process.pid)).empty? || Process.clock_gettime(Process::CLOCK_MONOTONIC) > last
      children.flat_map { |child| list_tree(child) }.each { |member| kill(member.to_i) }
      children.each { |child| Process::Status.wait(child, Process::WNOHANG) }
      sleep(POLL_SECONDS) unless children.empty?
    end
    exit!(0)
  end

  def kill(process)
    Process.kill('KILL', process)
  rescue SystemCallError # it has ended, or is another user's
    nil
  end
end

code, hide_frames = ArenaStarter.new(ARGV.shift.to_i).take_script
begin
  code.eval
ensure
  hide_frames.call($!)
end
