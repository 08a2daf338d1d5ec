import type { PinSummary } from '#core/hub/pin-admin.ts';
import { defineCommand } from '../command.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { formatColumns } from '../format/layout.ts';
import { printRawJson, type Io } from '../io.ts';
import { callPins, findingLine } from '../pins/pins.ts';

export const command = defineCommand({
  name: 'pins list',
  summary: 'List quarantined tools of MCP servers, and what the scanner found',
  about:
    'The definitions of a server are pinned when it is seen first. A tool whose definition changes, or that is added later, is not callable until it is approved.',
  positionals: [
    { name: 'server', need: 'optional', help: 'Only this one; exai servers list names them' },
  ],
  async run({ options, positionals }, io) {
    const { server: only } = positionals;
    const answer = await callPins(io, 'list', only === undefined ? {} : { server: only });
    if (options.json) return printRawJson(io, answer);
    if (answer.servers.length === 0) {
      io.stdout.write(
        only === undefined
          ? 'There are no MCP servers.\n'
          : `The definitions of ${escapeControls(only)} are not pinned.\n`,
      );
    }
    for (const server of answer.servers) writeServer(server, io);
  },
});

function writeServer({ server, approved, quarantined, warned, missing }: PinSummary, io: Io): void {
  const rejected = quarantined.filter(({ decision }) => decision === 'rejected').length;
  const waiting = quarantined.length - rejected;
  const counts = [
    `${approved} approved`,
    ...(waiting > 0 ? [io.paint('red', `${waiting} quarantined`)] : []),
    ...(rejected > 0 ? [`${rejected} rejected`] : []),
    ...(missing.length > 0 ? [`${missing.length} no longer listed`] : []),
  ];
  io.stdout.write(`${io.paint('bold', server)}: ${counts.join(', ')}\n`);
  const rows = quarantined.map(({ name, because, hash, findings }) => [
    `  ${name}`,
    hash.slice(0, 8),
    because,
    ...(findings[0] ? [findingLine(findings[0], io)] : []),
  ]);
  if (rows.length > 0) io.stdout.write(formatColumns(rows, '', io.width));
  for (const { name, findings } of warned) {
    for (const finding of findings) io.stdout.write(`  ${name}: ${findingLine(finding, io)}\n`);
  }
  if (waiting > 0) io.stdout.write(`  Show the differences with: exai pins diff ${server}\n`);
}
