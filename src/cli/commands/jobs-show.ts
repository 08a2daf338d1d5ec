import { defineCommand } from '../command.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { formatColumns } from '../format/layout.ts';
import { formatLocalTime } from '../format/text.ts';
import { printRawJson } from '../io.ts';
import { readJobState, runWithJobs, type JobState } from '../jobs/job-tools.ts';

export const command = defineCommand({
  name: 'jobs show',
  summary: 'Show the status of a job',
  about: 'Its answer is told by: exai jobs result <id>',
  positionals: [{ name: 'id', need: 'required', help: 'As exai jobs tells it' }],
  async run({ options, positionals }, io) {
    const state = await runWithJobs(io, (client) => readJobState(client, positionals['id'] ?? ''));
    if (options.json) return printRawJson(io, state);
    io.stdout.write(`${io.paint('bold', escapeControls(state.id))}\n`);
    const rows = factsOf(state).map(([name, fact]) => [
      io.paint('dim', name),
      escapeControls(fact).replaceAll('\n', ' '),
    ]);
    io.stdout.write(formatColumns(rows, '  ', io.width));
    io.stdout.write(`${io.paint('dim', escapeControls(nextOf(state)))}\n`);
  },
});

function factsOf(state: JobState): readonly (readonly [string, string])[] {
  const { tool, status, created_at: begun, updated_at: changed, finished_at: over } = state;
  const { title, runs, asks = [], error_class: errorClass, detail } = state;
  // Progress before the end says nothing about the final answer.
  const { note, done, total, chars } = over === undefined ? state : {};
  const time = (iso: string) => formatLocalTime(iso, 'second');
  return [
    ...row('title', title),
    ['tool', tool],
    ['status', errorClass === undefined ? status : `${status} (${errorClass})`],
    ...row('detail', detail),
    ...asks.map(({ name, message }) => ['asks', message ?? name] as const),
    ...row('doing', note),
    ...row('step', done === undefined || total === undefined ? undefined : `${done} of ${total}`),
    ...row('written', chars === undefined ? undefined : `${chars} characters`),
    ...row('runs', runs > 1 ? `${runs}: a restart came between` : undefined),
    ['begun', time(begun)],
    over === undefined ? ['last heard', time(changed)] : ['over', time(over)],
    ...row('kept until', state.kept_until && time(state.kept_until)),
  ];
}

function row(name: string, fact: string | undefined): readonly (readonly [string, string])[] {
  return fact === undefined || fact === '' ? [] : [[name, fact]];
}

function nextOf({ id, status }: JobState): string {
  if (status === 'cancelled') return 'It has no answer.';
  const isOver = status === 'done' || status === 'failed';
  return isOver ? `Its answer: exai jobs result ${id}` : `Follow it: exai jobs result ${id} --wait`;
}
