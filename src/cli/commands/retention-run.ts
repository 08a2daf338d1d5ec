import {
  RETENTION_METHODS,
  type RetentionPreview,
  type RetentionRun,
} from '#app/daemon/retention-methods.ts';
import { defineCommand } from '../command.ts';
import { confirm } from '../confirm.ts';
import { formatColumns } from '../format/layout.ts';
import { printJson } from '../io.ts';
import { runWithDaemon } from '../run-with-daemon.ts';

/** Counting or removing millions of rows takes a while. */
const TIMEOUT_MS = 600_000;

export const command = defineCommand({
  name: 'retention run',
  summary: 'Remove what is older than retention.* allows, now and by the clock as it is',
  about:
    'Shows the number of rows of each table first and asks for confirmation; without a terminal, --yes is required. ' +
    'The daemon removes such rows every hour by itself, but removes nothing while its clock is ahead of what it can trust; ' +
    'this command confirms the clock, so look at the date it shows. Unused files at providers are deleted within the hour after it.',
  options: {
    yes: { type: 'boolean', short: 'y', help: 'Without asking' },
  },
  run: ({ options }, io) =>
    runWithDaemon(io, async (daemon) => {
      const within = { timeoutMs: TIMEOUT_MS };
      const preview = (await daemon.request(
        RETENTION_METHODS.preview,
        {},
        within,
      )) as RetentionPreview;
      const now = new Date(preview.atMs).toISOString();
      const count = sum(preview.rows);
      if (!options.json) {
        const rows = Object.entries(preview.rows).map(([table, rows]) => [table, String(rows)]);
        io.stdout.write(formatColumns(rows, ''));
        io.stdout.write(`The clock says ${now.slice(0, 16).replace('T', ' ')} UTC. `);
        io.stdout.write(`Older than retention.* allows: ${describeRows(count)}.\n`);
      }
      if (count === 0 && preview.clock === 'trusted') {
        return options.json ? printJson(io, { at: now, removed: {} }) : undefined;
      }
      if (!options.yes) {
        await confirm({
          input: process.stdin,
          output: io.stderr,
          question: `Confirm that this clock is right, and remove ${describeRows(count)} for good?`,
          ifDeclined: 'nothing was removed',
        });
      }
      const { removed } = (await daemon.request(
        RETENTION_METHODS.run,
        { at_ms: preview.atMs },
        within,
      )) as RetentionRun;
      if (options.json) return printJson(io, { at: now, removed });
      io.stdout.write(`Removed: ${describeRows(sum(removed))}.\n`);
    }),
});

const sum = (rows: Readonly<Record<string, number>>) =>
  Object.values(rows).reduce((total, count) => total + count, 0);

function describeRows(count: number): string {
  return count === 1 ? '1 row' : `${count} rows`;
}
