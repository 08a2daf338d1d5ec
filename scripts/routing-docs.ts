import { REQUEST_CLASSES, type RequestClass } from '#core/llm/route.ts';
import { linkTitle } from '../src/core/messages/role-titles.ts';
import { CHAINS } from '#manager/route/fallback-chain.ts';
import { RULES } from '#manager/route/rules/index.ts';
import { TOOL_SETS, type ToolKind } from '#manager/route/tool-sets.ts';
import { DEFAULT_ROLES } from '../src/models/roles.ts';

const CLASS_WORDS: Readonly<Record<RequestClass, string>> = {
  file_qa: 'a document, a scan, or two files and more',
  long_context: 'more than 128k tokens',
  web: '`use_websearch: true`, or words that ask for what is new, on a tool like chat',
  chat: 'a plain question',
  code: 'code in the question, or a workflow or deep tool',
  agentic: 'tools for the model to call, or an agent that asks',
  vision: 'pictures or videos',
};

const KIND_WORDS: Readonly<Record<Exclude<ToolKind, 'other'>, string>> = {
  kimi: 'Kimi’s own',
  deep: 'deep',
  workflow: 'workflow, in steps',
  simple: 'simple',
  agent: 'agents',
  gateway: 'the gateway at `/v1`',
};

/** docs/routing.md: how a model is chosen, from the very data that chooses. */
export function routingPage(): string {
  return `# Which model answers

A request that names no model, or \`auto\`, gets one by the rules below; the first rule that is about the request and finds somebody who can
wins. Every answer says which rule it was and why (\`route\` in the envelope), and \`exai explain <tool> --args '<json>'\` shows
the whole decision without asking anybody.

\`\`\`mermaid
${tree()}
\`\`\`

## Who is out

Before any rule, the first two included, everybody is out who cannot answer now: without a key, forbidden by a list, unable to take the
pictures, videos, documents or tools, with a window that the question alone does not fit, over the cost that the caller
allows, over the day's budget, or with an open circuit breaker. A conversation or files that are too long are no reason: they are
shortened to fit, and the answer says how. Whoever holds all of it comes before whom it must be shortened for.

## The rules

| # | rule | when | route |
|---|---|---|---|
${RULES.map(({ number, id, when, route }) => `| ${number} | \`${id}\` | ${when} | ${route} |`).join('\n')}

A name that means no model is an error with the nearest one that does, never another model. With \`fallback: none\` a named model that
cannot answer is an error, too; without it the other rules find somebody, and the answer says so.

## The parts that models play

| part | models, the first that can |
|---|---|
${roleRows()}

The variable of a part puts another model before these.

## What a request is, and who follows

After the winner the chain of the class goes on, of each part the first model that can; then the other models of these parts; and at the
very end, where plain text will do (\`fallback.extractive\`), passages of what was given are quoted and the answer is marked \`degraded\`.

| class | what it is | chain |
|---|---|---|
${REQUEST_CLASSES.map((name) => `| \`${name}\` | ${CLASS_WORDS[name]} | ${chainWords(name)} |`).join('\n')}

Words that only may ask for news ("today") leave a question unclear; then a small model is asked what it is about, for a second and a half
at most (\`routing.classify\`).

## The tools that rules know by name

| set | tools |
|---|---|
${kindRows()}

Tools that stand in no set are taken like chat: their words may decide, then their category.

## Thinking

\`thinking_mode\` decides where it is given: \`minimal\` turns thinking off, the others turn it on with that effort or the nearest that
the model knows. Otherwise \`prefer: speed\` turns it off, agents think, the models of speed do not, extended reasoning does, and
chat and quick tools do not. A model that cannot stop thinking does so as little as it can.
`;
}

/** Each rule a fork: yes to the right, no downwards. */
function tree(): string {
  const last = RULES.length;
  const forks = RULES.slice(0, -1).flatMap(({ number, when, route }) => [
    `  R${number}{"${number}. ${label(when)}?"} -->|yes| M${number}["${label(route)}"]`,
    `  R${number} -->|no, or nobody can| R${number + 1}`,
  ]);
  const end = RULES.at(-1);
  return ['flowchart TD', ...forks, `  R${last}["${last}. ${label(end?.route ?? '')}"]`].join('\n');
}

/** The first clause: the table has the rest. */
function label(markdown: string): string {
  const [first = ''] = markdown.split(';');
  return first.replaceAll('`', '').replaceAll('"', "'");
}

function roleRows(): string {
  return (
    [
      'kimiSpeed',
      'kimiDefault',
      'kimiQuality',
      'glmSpeed',
      'glmQuality',
      'vision',
      'manager',
    ] as const
  )
    .map((role) => `| ${linkTitle(role)} | ${DEFAULT_ROLES[role].models.join(', ')} |`)
    .join('\n');
}

function chainWords(name: RequestClass): string {
  return CHAINS[name].map(linkTitle).join(' → ');
}

function kindRows(): string {
  return Object.entries(KIND_WORDS)
    .map(([kind, words]) => {
      const tools = [...TOOL_SETS].filter(([, facts]) => facts.kind === kind);
      return `| ${words} | ${tools.map(([tool]) => `\`${tool}\``).join(', ')} |`;
    })
    .join('\n');
}
