import { readFileSync } from 'node:fs';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { PROFILES, type Profile } from '#core/tools/tool.ts';
import { listedTools } from '../listed-tools.ts';
import { verifies } from '../verifies.ts';

/** Of the whole list as clients get it, without output schemas. */
const MAX_TOKENS: Readonly<Record<Profile, number>> = {
  lean: 5_000,
  standard: 11_000,
  full: 16_000,
};

verifies('tools:lean', 'the list of every profile is as small as promised', () => {
  const sizes = PROFILES.map((profile) => {
    const listed = listedTools(profile).map((tool) => {
      const { name, title, description, inputSchema, annotations, icons } = tool;
      return { name, title, description, inputSchema, annotations, ...(icons && { icons }) };
    });
    return [profile, encode(JSON.stringify(listed)).length] as const;
  });
  for (const [profile, tokens] of sizes) {
    expect(tokens, `${profile} has ${tokens} tokens`).toBeLessThanOrEqual(MAX_TOKENS[profile]);
  }
});

verifies(
  'tools:lean',
  'docs/tools.md has every tool with its profile and tier, and no other',
  () => {
    const docs = readFileSync('docs/tools.md', 'utf8');
    const rows = docs.split('\n').flatMap((line) => {
      const [, names = '', , profile = '', tier = ''] = line.split('|').map((cell) => cell.trim());
      if (!(PROFILES as readonly string[]).includes(profile)) return [];
      return [...names.matchAll(/`([a-z_]+)`/g)].map(([, name]) => `${name} ${profile} ${tier}`);
    });
    const tools = listedTools('full').map(
      ({ name, profile, tier }) => `${name} ${profile} ${tier}`,
    );
    expect(rows.toSorted()).toEqual(tools.toSorted());
  },
);

test('a tool that keeps a conversation is not to be sent twice, and one that asks a model waits for a provider', () => {
  // A wrapper is as its inner tool.
  const tools = listedTools('full').filter(({ reaches }) => !reaches || reaches === 'all');
  const keeping = tools.filter(({ name, inputSchema: { properties = {} } }) => {
    // The tools that it calls may change something.
    const mayWrite = name === 'kimi_chat_with_tools' || name === 'multi_execute_tool';
    return mayWrite || name === 'threads' || 'continuation_id' in (properties as object);
  });
  const unrepeatable = tools.filter(({ annotations }) => !annotations.idempotentHint);
  expect(unrepeatable.map(({ name }) => name)).toEqual(keeping.map(({ name }) => name));
  const asking = unrepeatable.filter((tool) => tool.previewAsk !== undefined);
  expect(asking.filter(({ pool }) => pool !== 'provider')).toEqual([]);
});
