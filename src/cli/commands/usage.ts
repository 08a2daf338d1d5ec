import { systemClock } from '#app/system.ts';
import { USAGE_METHODS, type UsageReport } from '#core/diagnostics/usage-report.ts';
import { CallError } from '#core/errors/call-error.ts';
import { USAGE_GROUPS, type UsageAmounts, type UsageGroup } from '#core/stores/usage.ts';
import { toUsd } from '#core/text/money.ts';
import { didYouMean, oneLine } from '#core/text/text.ts';
import { defineCommand } from '../command.ts';
import { formatColumns } from '../format/layout.ts';
import { formatUsageRows, readUsageRange } from '../format/usage-report.ts';
import { printJson } from '../io.ts';
import { runWithDaemon } from '../run-with-daemon.ts';

export const command = defineCommand({
  name: 'usage',
  summary: 'Show tokens and cost',
  about:
    'Default: by model, last 30 days (UTC). Unpriced: the price is unknown, so the cost is not included.\n' +
    'Estimated: the provider did not count the tokens, so EX-AI did. Starts the daemon if needed.',
  options: {
    by: { type: 'string', value: 'WHAT', help: 'One row for each client, model, tool or day' },
    days: { type: 'string', value: 'N', help: 'The last so many days, today included' },
    from: { type: 'string', value: 'DAY', help: 'From this day on, such as 2026-01-31' },
    to: { type: 'string', value: 'DAY', help: 'Last day (default: today)' },
  },
  async run({ options }, io) {
    const by = groupIn(options.by ?? 'model');
    const range = readUsageRange(options, systemClock.now());
    const answer = (await runWithDaemon(io, (daemon) =>
      daemon.request(USAGE_METHODS.report, { by, ...range }),
    )) as UsageReport;
    const { rows, total, fromDay, toDay } = answer;
    if (options.json) {
      return printJson(io, {
        by,
        from: fromDay,
        to: toDay,
        rows: rows.map(({ name, provider, principal, ...used }) => ({
          [by]: name,
          ...(provider !== undefined && { provider }),
          ...(principal !== undefined && { principal }),
          ...document(used),
        })),
        total: document(total),
      });
    }
    const span = fromDay === toDay ? `on ${fromDay}` : `from ${fromDay} to ${toDay}`;
    if (rows.length === 0) {
      io.stdout.write(`No model was asked ${span}. Begin with: exai ask "What can you do?"\n`);
      return;
    }
    io.stdout.write(formatColumns(formatUsageRows(answer, io), ''));
    io.stdout.write(`\n${io.paint('dim', `${span}, UTC`)}\n`);
  },
});

function groupIn(text: string): UsageGroup {
  const found = USAGE_GROUPS.find((group) => group === text);
  if (found) return found;
  const shown = oneLine(text, 40);
  throw new CallError(
    'bad_request',
    `--by must be a column to group by, but is "${shown}"${didYouMean(text, USAGE_GROUPS) || '.'}`,
    { field: '--by', fix: `Use one of ${USAGE_GROUPS.join(', ')}.` },
  );
}

function document({ calls, costMicroUsd, ...counts }: UsageAmounts) {
  return { requests: calls, ...counts, costUsd: toUsd(costMicroUsd) };
}
