import { CallError } from '#core/call-error.ts';
import { columns } from '../columns.ts';
import { defineCommand } from '../command.ts';
import { countOption } from '../count-option.ts';
import { tellOf, withJobs, type JobRow } from '../job-tools.ts';
import { localTime } from '../local-time.ts';
import { printAsIs } from '../print-as-is.ts';
import { harmless } from '../terminal-text.ts';

export const command = defineCommand({
  name: 'jobs',
  summary: 'List your jobs: calls that took long and went on by themselves',
  about:
    'The newest first. A call becomes a job when it takes longer than its client waits, or by\n' +
    '  exai call <tool> --background\n' +
    'With the id of one:\n' +
    '  exai jobs show <id>      how it stands\n' +
    '  exai jobs result <id>    its answer; --wait follows it to its end\n' +
    '  exai jobs cancel <id>    stops it',
  noMoreWords: 'exai jobs alone lists them; show, result and cancel take the id of one.',
  options: {
    open: { type: 'boolean', help: 'Only those that are not over' },
    all: { type: 'boolean', help: 'All of them, as without an option' },
    limit: { type: 'string', value: 'N', help: 'How many; 20 unless told' },
    before: { type: 'string', value: 'ID', help: 'Older ones than this' },
  },
  async run({ options }, io) {
    const limit = countOption(options.limit, '--limit', 100);
    const { before } = options;
    if (options.open && options.all) {
      throw new CallError('bad_request', '--open and --all exclude each other.', {
        field: '--open',
      });
    }
    const answer = await withJobs(io, (client) =>
      tellOf(client, 'job_list', {
        status: options.open ? 'open' : 'all',
        ...(limit && { limit }),
        ...(before !== undefined && { before }),
      }),
    );
    if (options.json) return printAsIs(io, answer);
    const rows = answer.jobs.map((job) => [
      io.paint('bold', harmless(job.id)),
      io.paint('dim', localTime(job.created_at, 'minute')),
      harmless(job.status),
      harmless(job.tool),
      harmless(aboutWords(job)).replaceAll('\n', ' '),
    ]);
    io.stdout.write(columns(rows, '', io.width));
    if (rows.length === 0) io.stdout.write(`${none(options)}\n`);
    if (answer.next !== undefined) {
      const more = `exai jobs${options.open ? ' --open' : ''} --before ${harmless(answer.next)}`;
      io.stdout.write(`\n${io.paint('dim', `Older ones: ${more}`)}\n`);
    }
  },
});

/** What it is about, and what it does or failed with. */
function aboutWords({
  title = '',
  note = '',
  error_class: errorClass,
  finished_at,
}: JobRow): string {
  const more = errorClass ?? (finished_at === undefined ? note : '');
  return title === '' || more === '' ? title || more : `${title} (${more})`;
}

function none({ before, open }: { readonly before?: string; readonly open?: true }): string {
  if (before !== undefined) return 'There are no older ones.';
  return open ? 'No job of yours is under way.' : 'You have no jobs.';
}
