import { systemClock } from '#app/system.ts';
import { ERROR_POLICY } from '#core/errors/error-class.ts';
import { defineCommand } from '../command.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { createProgressLine } from '../format/progress.ts';
import { listenForInterrupt } from '../interrupt.ts';
import { printJobResult } from '../jobs/job-result.ts';
import {
  callJobTool,
  followJob,
  rewordJobErrors,
  runWithJobs,
  type FollowJobOptions,
} from '../jobs/job-tools.ts';
import { runWithDaemon } from '../run-with-daemon.ts';

export const command = defineCommand({
  name: 'jobs result',
  summary: 'Print the result of a job, or its progress',
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
    const format = options.json ? 'json' : 'text';
    const interrupt = listenForInterrupt(io.signal);
    const progress = createProgressLine(io, systemClock);
    const { signal } = interrupt;
    let noticeOutput: 'print' | 'skip' = 'print';
    const connect: FollowJobOptions['connect'] = (work) => {
      const result = runWithDaemon(io, work, { as: 'bearer', noticeOutput });
      // After a restart the notices are the same.
      noticeOutput = 'skip';
      return result;
    };
    try {
      const result = await (options.wait
        ? rewordJobErrors(() =>
            followJob(id, { connect, clock: systemClock, signal, onProgress: progress.show }),
          )
        : runWithJobs(io, (client) =>
            callJobTool(client, 'job_result', { job_id: id, wait_seconds: 0 }, { signal }),
          ));
      progress.clear();
      return printJobResult(io, result, format);
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
      progress.clear();
      const again = `exai jobs result ${id} --wait`;
      io.stderr.write(
        `exai: ${escapeControls(id)} continues in the background. Follow it again: ${escapeControls(again)}\n` +
          `  Stop it: exai jobs cancel ${escapeControls(id)}\n`,
      );
      return ERROR_POLICY.cancelled.exit;
    } finally {
      progress.clear();
      interrupt.stop();
    }
  },
});
