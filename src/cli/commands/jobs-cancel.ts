import { defineCommand } from '../command.ts';
import { tellOf, withJobs } from '../job-tools.ts';
import { printAsIs } from '../print-as-is.ts';
import { harmless } from '../terminal-text.ts';

export const command = defineCommand({
  name: 'jobs cancel',
  summary: 'Stop a job',
  about: 'One that is over stays as it ended, and saying it twice does no harm.',
  positionals: [{ name: 'id', need: 'required', help: 'As exai jobs tells it' }],
  async run({ options, positionals }, io) {
    const answer = await withJobs(io, (client) =>
      tellOf(client, 'job_cancel', { job_id: positionals['id'] ?? '' }),
    );
    if (options.json) return printAsIs(io, answer);
    const { id, outcome, status } = answer;
    const words =
      outcome === 'cancelled' ? `${id} is cancelled.` : `${id} was over already: ${status}.`;
    io.stdout.write(`${harmless(words)}\n`);
  },
});
