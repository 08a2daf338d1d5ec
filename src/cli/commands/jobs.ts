import { CallError } from '#core/errors/call-error.ts';
import { defineCommand } from '../command.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { formatColumns } from '../format/layout.ts';
import { formatLocalTime } from '../format/text.ts';
import { printRawJson } from '../io.ts';
import { readJobTool, runWithJobs, type ListedJob } from '../jobs/job-tools.ts';
import { parseCountOption } from '../number-options.ts';

export const command = defineCommand({
  name: 'jobs',
  summary: 'List background jobs',
  about:
    'The newest first. A call becomes a job when it takes longer than its client waits, or by\n' +
    '  exai call <tool> --background\n' +
    'With the id of one:\n' +
    '  exai jobs show <id>      how it stands\n' +
    '  exai jobs result <id>    its answer; --wait follows it to its end\n' +
    '  exai jobs cancel <id>    stops it',
  extraArgumentError: 'exai jobs alone lists them; show, result and cancel take the id of one.',
  options: {
    open: { type: 'boolean', help: 'Only those that are not over' },
    all: { type: 'boolean', help: 'All of them, as without an option' },
    limit: { type: 'string', value: 'N', help: 'Maximum number of results (default: 20)' },
    before: { type: 'string', value: 'ID', help: 'Older ones than this' },
  },
  async run({ options }, io) {
    const limit = parseCountOption(options.limit, '--limit', 100);
    const { before } = options;
    if (options.open && options.all) {
      throw new CallError('bad_request', '--open and --all exclude each other.', {
        field: '--open',
      });
    }
    const answer = await runWithJobs(io, (client) =>
      readJobTool(client, 'job_list', {
        status: options.open ? 'open' : 'all',
        ...(limit && { limit }),
        ...(before !== undefined && { before }),
      }),
    );
    if (options.json) return printRawJson(io, answer);
    const rows = answer.jobs.map((job) => [
      io.paint('bold', escapeControls(job.id)),
      io.paint('dim', formatLocalTime(job.created_at, 'minute')),
      escapeControls(job.status),
      escapeControls(job.tool),
      escapeControls(describeJob(job)).replaceAll('\n', ' '),
    ]);
    io.stdout.write(formatColumns(rows, '', io.width));
    if (rows.length === 0) io.stdout.write(`${describeEmptyList(options)}\n`);
    if (answer.next !== undefined) {
      const more = `exai jobs${options.open ? ' --open' : ''} --before ${escapeControls(answer.next)}`;
      io.stdout.write(`\n${io.paint('dim', `Older ones: ${more}`)}\n`);
    }
  },
});

/** The title of a job with its progress or error class. */
function describeJob({
  title = '',
  note = '',
  error_class: errorClass,
  finished_at,
}: ListedJob): string {
  const more = errorClass ?? (finished_at === undefined ? note : '');
  return title === '' || more === '' ? title || more : `${title} (${more})`;
}

function describeEmptyList({
  before,
  open,
}: {
  readonly before?: string;
  readonly open?: true;
}): string {
  if (before !== undefined) return 'There are no older ones.';
  return open ? 'No job of yours is under way.' : 'You have no jobs.';
}
