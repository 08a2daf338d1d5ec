import { systemClock } from '#app/system.ts';
import { ERROR_POLICY } from '#core/error-class.ts';
import { askDaemon } from '../ask-daemon.ts';
import { defineCommand } from '../command.ts';
import { listenForInterrupt } from '../interrupt.ts';
import { followJob, type FollowDeps } from '../job-follow.ts';
import { printJobResult } from '../job-print.ts';
import { callJobTool, inWords, withJobs } from '../job-tools.ts';
import { createProgressLine } from '../progress-line.ts';
import { harmless } from '../terminal-text.ts';

export const command = defineCommand({
  name: 'jobs result',
  summary: 'Print the answer of a job, or how far it is',
  about:
    `The answer goes to standard output. While the job runs there is none, and the exit code is ${ERROR_POLICY.timeout.exit}; ` +
    'with --wait it is followed to its end. Ctrl-C ends the following and not the job.',
  positionals: [{ name: 'id', need: 'required', help: 'As exai jobs tells it' }],
  options: {
    wait: { type: 'boolean', help: 'Until it is over' },
    json: { type: 'boolean', help: 'Print the whole envelope of the answer' },
  },
  signals: 'own',
  async run({ options, positionals }, io) {
    const id = positionals['id'] ?? '';
    const format = options.json ? 'json' : 'words';
    const interrupt = listenForInterrupt(io.signal);
    const progress = createProgressLine(io, systemClock);
    const { signal } = interrupt;
    let notices: 'told' | 'left to the work' = 'told';
    const connect: FollowDeps['connect'] = (work) => {
      const asked = askDaemon(io, work, { as: 'bearer', notices });
      // After a restart they are the same.
      notices = 'left to the work';
      return asked;
    };
    try {
      const result = await (options.wait
        ? inWords(() =>
            followJob(id, { connect, clock: systemClock, signal, onProgress: progress.show }),
          )
        : withJobs(io, (client) =>
            callJobTool(client, 'job_result', { job_id: id, wait_seconds: 0 }, { signal }),
          ));
      progress.clear();
      return printJobResult(io, result, format);
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
      progress.clear();
      const again = `exai jobs result ${id} --wait`;
      io.stderr.write(
        `exai: ${harmless(id)} is no longer followed, and goes on. Follow it again: ${harmless(again)}\n` +
          `  Stop it: exai jobs cancel ${harmless(id)}\n`,
      );
      return ERROR_POLICY.cancelled.exit;
    } finally {
      progress.clear();
      interrupt.stop();
    }
  },
});
