import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { writePlist } from './launchd-plist.ts';
import { readMark } from './service-mark.ts';
import type { ServiceSpec } from './service-spec.ts';

const SPEC: ServiceSpec = {
  program: ['/usr/bin/node', '/opt/exai/bin/exai.cjs', 'serve'],
  home: '/Users/me/.exai',
  homeIs: 'default',
  stopWithinS: 40,
};

type Plist = string | number | boolean | Plist[] | { [key: string]: Plist };

/** As strict as a parser of XML: whatever is not one of the tags of a list, well nested, is refused. */
function parsePlist(text: string): Plist {
  const body = text
    .replace(
      /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<!DOCTYPE plist PUBLIC "[^"<&]*" "[^"<&]*">\n/,
      '',
    )
    .replace(/<!--((?:(?!--)[^])*)-->\n/, '');
  const tokens = [...body.matchAll(/<(\/?)(\w+)([^<>]*?)(\/?)>|([^<]+)/g)];
  expect(tokens.map(([whole]) => whole).join('')).toBe(body);
  const kept = tokens.filter(([whole, , tag]) => tag !== undefined || whole.trim() !== '');
  let at = 0;
  const next = () => kept[at++]?.[0] ?? 'nothing';
  const isEnd = (tag: string) => kept[at]?.[0] === `</${tag}>`;
  const take = (tag: string) => expect(next()).toBe(tag);
  const inner = (tag: string) => {
    const content = isEnd(tag) ? '' : next();
    take(`</${tag}>`);
    expect(content).not.toMatch(/&(?!(?:amp|lt|gt);)|[<>]/);
    return content.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  };
  const value = (): Plist => {
    const open = next();
    if (open === '<string>') return inner('string');
    if (open === '<integer>') return Number(inner('integer'));
    if (open === '<true/>' || open === '<false/>') return open === '<true/>';
    if (open === '<array>') {
      const items: Plist[] = [];
      while (!isEnd('array')) items.push(value());
      take('</array>');
      return items;
    }
    expect(open).toBe('<dict>');
    const entries: [string, Plist][] = [];
    while (!isEnd('dict')) {
      take('<key>');
      entries.push([inner('key'), value()]);
    }
    take('</dict>');
    return Object.fromEntries(entries);
  };
  take('<plist version="1.0">');
  const whole = value();
  take('</plist>');
  expect(at).toBe(kept.length);
  return whole;
}

test('the launch agent runs the daemon at login, again after a failure, and lets it finish', () => {
  expect(parsePlist(writePlist(SPEC))).toEqual({
    Label: 'exai.daemon',
    ProgramArguments: SPEC.program,
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    ThrottleInterval: 60,
    ExitTimeOut: 40,
    SoftResourceLimits: { Core: 0 },
  });
});

verifies(
  'service:units',
  'any path survives the escapes, as argument, home and note in a comment',
  () => {
    const piece = fc.oneof(
      fc.constantFrom('&', '&amp;', '<', '>', ']]>', '--', '-->', '"', "'", ' ', '\\', '$', '%'),
      fc.string({ unit: 'grapheme' }),
    );
    const path = fc
      .array(piece, { maxLength: 12 })
      .map((parts) => `/${parts.join('').replaceAll(/\p{Cc}/gu, '')}`)
      .filter((each) => each.isWellFormed());
    fc.assert(
      fc.property(path, path, (script, home) => {
        const text = writePlist({ ...SPEC, program: ['/node', script], home, homeIs: 'told' });
        expect(parsePlist(text)).toMatchObject({
          ProgramArguments: ['/node', script],
          EnvironmentVariables: { EXAI_HOME: home },
        });
        expect(readMark(text)).toEqual({ home, isEdited: false });
      }),
    );
  },
);

const hasPython = spawnSync('python3', ['--version']).status === 0;

test.skipIf(!hasPython)('a property list reader that is not ours understands it', () => {
  const home = `/a & b <c> "d" 'e' -- f\\g`;
  const read =
    'import json,plistlib,sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))';
  const input = writePlist({ ...SPEC, home, homeIs: 'told' });
  const { stdout } = spawnSync('python3', ['-c', read], { input, encoding: 'utf8' });
  expect(JSON.parse(stdout)).toEqual(parsePlist(input));
});
