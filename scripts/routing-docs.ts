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
  return `# Routing

How EX-AI chooses a model for a request that names none, or names \`auto\`. The first rule that matches the request and has an available model
decides. Every answer states the rule and the reason (\`route\` in the envelope), and \`exai explain <tool> --args '<json>'\` shows
the whole decision without calling a model. [Failover](failover.md) describes what happens when the chosen model fails.

\`\`\`mermaid
${tree()}
\`\`\`

## How a decision is made

1. **Facts**: what is known about a request: its tool, length in tokens, files, images, tools for the model, the share of
   CJK text, code, words that ask for news, and the options of the caller. Routing uses nothing else, and never follows instructions in the text.
2. **Class**: \`chat\`, \`code\`, \`web\`, \`file_qa\`, \`long_context\`, \`vision\` or \`agentic\`, with a confidence. Below 60 % a small
   model (that of \`GLM_SPEED_MODEL\`) classifies the request, within 1.5 seconds and at most a quarter of
   the time left (\`routing.classify\`, \`routing.classifyMs\`). The result is cached for an hour; if it fails, the rules decide alone, and
   after three failures in a row the classifier is skipped for a minute. The tool \`kimi_intent_analysis\` returns the same classification without an answer.
3. **Excluded models**, then the **rules** in order, then the **fallback chain**, all below.

Show the decision for a request without calling a model:

\`\`\`sh runnable
exai explain "What is new in Node.js today?"
git diff | exai explain "What could go wrong with this change?"                  # with the text on standard input
exai explain chat --args '{"prompt": "Hello", "model": "kimi-k3"}' --payload     # also the request, without the key
\`\`\`

In its list of rules, \`>\` marks the rule that decided and \`x\` a rule that matched without an available model. When no model is available,
\`explain\` says why and exits with the code of that error. It does not use the classifier model. Files and pictures are
read to measure them, within the folders of the caller, and nothing is stored or sent; files at a provider, on the web, and what a tool
reads by itself are only named, and a notice says so. The tool \`route\` returns the same to clients; only the owner
sees the destination of the payload.

## Excluded models

Before any rule is evaluated, including the first two, models that cannot answer now are excluded: no API key, denied by a list, no support for the
images, videos, documents or tools of the request, a context window that is too small for the question alone, over the caller's
cost limit, over the daily budget, or an open circuit breaker. A conversation or files that are too long do not exclude a model: they are
shortened to fit, and the answer says how. Models that hold all of it come before models that need it shortened.

## Rules

| # | rule | when | route |
|---|---|---|---|
${RULES.map(({ number, id, when, route }) => `| ${number} | \`${id}\` | ${when} | ${route} |`).join('\n')}

An unknown model name is an error that names the nearest known model; it never selects another model. With \`fallback: none\`, a named model that
cannot answer is an error; otherwise the next rules choose another model, and the answer says so.

## Model roles

| role | models, first available |
|---|---|
${roleRows()}

The environment variable of a role puts another model before these.

## Request classes and fallback chains

After the chosen model comes the chain of the request's class: for each role the first available model, then the other models of these roles.
Last, where plain text is sufficient (\`fallback.extractive\`), matching passages of the input are quoted and the answer is marked \`degraded\`.

| class | what it is | chain |
|---|---|---|
${REQUEST_CLASSES.map((name) => `| \`${name}\` | ${CLASS_WORDS[name]} | ${chainWords(name)} |`).join('\n')}

Words that may or may not ask for news ("today") leave the class unclear; a small model then classifies the request within 1.5 seconds
(\`routing.classify\`).

## Tools with their own rules

| set | tools |
|---|---|
${kindRows()}

Tools that are in no set are routed like chat: by their text, then by their category.

## Thinking

\`thinking_mode\` decides where it is given: \`minimal\` turns thinking off, the other values turn it on with that effort or the nearest one that
the model supports. Otherwise \`prefer: speed\` turns it off; agents and extended reasoning think; speed models, chat and quick tools
do not. A model that cannot turn thinking off uses its lowest effort.
`;
}

/** Each rule a fork: yes to the right, no downwards. */
function tree(): string {
  const last = RULES.length;
  const forks = RULES.slice(0, -1).flatMap(({ number, when, route }) => [
    `  R${number}{"${number}. ${label(when)}?"} -->|yes| M${number}["${label(route)}"]`,
    `  R${number} -->|no, or none available| R${number + 1}`,
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
