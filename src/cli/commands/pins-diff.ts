import type { PinDiff } from '#core/hub/pin-admin.ts';
import { shellQuote } from '#core/text/text.ts';
import { defineCommand } from '../command.ts';
import { printRawJson, type Io } from '../io.ts';
import { callPins, findingLine } from '../pins/pins.ts';

const HASH_CHARS = 16;

export const command = defineCommand({
  name: 'pins diff',
  summary: 'Show how definitions of a server differ from the approved ones',
  about: 'Without a tool, all that wait are shown.',
  positionals: [
    { name: 'server', need: 'required', help: 'As exai pins list tells it' },
    { name: 'tool', need: 'optional', help: 'One of its quarantined tools' },
  ],
  async run({ options, positionals }, io) {
    const { server, tool } = positionals;
    const answer = await callPins(io, 'diff', { server, ...(tool && { tool }) });
    if (options.json) return printRawJson(io, answer);
    if (answer.diffs.length === 0) io.stdout.write(`Nothing of ${server} waits for approval.\n`);
    for (const diff of answer.diffs) writeDiff(diff, io);
  },
});

function writeDiff(
  { server, name, listedAs, because, hash, renamedFrom, findings, differences }: PinDiff,
  io: Io,
): void {
  const { stdout, paint } = io;
  stdout.write(`${paint('bold', name)} (${listedAs})\n${because}\n`);
  if (renamedFrom !== undefined)
    stdout.write(`It has the definition of ${renamedFrom}, which is gone.\n`);
  for (const finding of findings) stdout.write(`${findingLine(finding, io)}\n`);
  for (const { at, before, after } of differences) {
    stdout.write(`\n  ${paint('dim', at)}\n`);
    if (before !== undefined) stdout.write(`${paint('red', marked('-', before))}\n`);
    if (after !== undefined) stdout.write(`${paint('green', marked('+', after))}\n`);
  }
  // The tool is named as clients name it, because its own name may contain anything.
  const about = `${shellQuote(server)} ${listedAs}`;
  stdout.write(
    `\nApprove it with: exai pins approve ${about} --hash ${hash.slice(0, HASH_CHARS)}\n` +
      `Reject it with: exai pins reject ${about}\n\n`,
  );
}

/** Each line with its mark, so that no text can pass for a line of this command. */
function marked(mark: string, text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${mark} ${line}`)
    .join('\n');
}
