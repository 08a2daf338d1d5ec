import { defineCommand } from '../command.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { printRawJson } from '../io.ts';
import { readJobTool, runWithJobs } from '../jobs/job-tools.ts';

export const command = defineCommand({
  name: 'jobs cancel',
  summary: 'Cancel a job',
  about: 'One that is over stays as it ended, and saying it twice does no harm.',
  positionals: [{ name: 'id', need: 'required', help: 'As exai jobs tells it' }],
  async run({ options, positionals }, io) {
    const answer = await runWithJobs(io, (client) =>
      readJobTool(client, 'job_cancel', { job_id: positionals['id'] ?? '' }),
    );
    if (options.json) return printRawJson(io, answer);
    const { id, outcome, status } = answer;
    const sentence =
      outcome === 'cancelled' ? `${id} is cancelled.` : `${id} was over already: ${status}.`;
    io.stdout.write(`${escapeControls(sentence)}\n`);
  },
});
