import * as z from 'zod';
import type { AskContext, AskRequest } from '#core/llm/ask.ts';
import type { FileIntake } from '#core/files/file-intake.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import { notice } from '#core/messages/notices.ts';
import { reason } from '#core/messages/reasons.ts';
import { didYouMean } from '#core/text/text.ts';
import type { RouteExplanation } from '#core/llm/route.ts';
import type { Tool, ToolResult, ToolContext } from '#core/tools/tool.ts';
import { promptField } from '../shared/fields.ts';
import { route } from '../route.ts';

const NO_PICTURES = reason('media_unsupported', { media: 'image' });
const CHOSE = reason('rule_chose', {
  applies: reason('search_requested'),
  choice: reason('answers_with_search', { model: 'glm-4.7-flash' }),
  passedOver: [],
});
const CHOSEN = reason('chosen_by_rule', { number: 7, rule: 'web_question', reason: CHOSE });

export const EXPLANATION: RouteExplanation = {
  facts: {
    tool: 'chat',
    category: 'fast_response',
    tokens: 1_240,
    files: { count: 2, tokens: 900, documents: 1, scans: 0 },
    images: 1,
    videos: 0,
    search: 'on',
    fresh: { words: 'latest', strength: 'strong' },
    tools: 0,
    format: 'json',
    cjkShare: 0.4,
    locale: 'en-AU',
    hasCode: true,
    prefer: 'cost',
    thinking: 'low',
    step: { number: 2, more: 'yes' },
    fallback: 'chain',
    lastResort: 'local',
    maxCostMicroUsd: 20_000,
  },
  plan: {
    class: 'web',
    confidence: 0.9,
    rule: 'web_question',
    reasons: [CHOSEN],
    tried: [],
    candidates: [
      {
        provider: 'glm',
        model: 'glm-4.7-flash',
        reason: CHOSEN,
        remarks: [],
        thinking: { mode: 'off' },
        search: 'provider',
        roomTokens: 180_000,
        maxCostMicroUsd: 0,
        isLastResort: false,
      },
      {
        provider: 'kimi',
        model: 'kimi-k3',
        reason: reason('text', { text: 'the next of the chain\nwith a second line' }),
        remarks: [],
        thinking: { mode: 'on', effort: 'low' },
        search: 'provider',
        roomTokens: 900_000,
        maxCostMicroUsd: 12_345,
        isLastResort: false,
      },
      {
        provider: 'openrouter',
        model: 'z-ai/glm-5.3',
        reason: reason('next_in_chain', { class: 'web', link: 'openrouter' }),
        remarks: [reason('without_search')],
        search: 'none',
        roomTokens: 1,
        isLastResort: false,
      },
      {
        provider: 'extractive',
        model: 'local-extract',
        reason: reason('quotation_last'),
        remarks: [],
        search: 'none',
        roomTokens: 1,
        maxCostMicroUsd: 0,
        isLastResort: true,
      },
    ],
    leftOut: [],
    notices: [notice('model_retired', { model: 'kimi-k2', successor: 'kimi-k2.6' })],
  },
  tried: [
    {
      number: 1,
      id: 'explicit_model',
      when: 'a model is named',
      verdict: 'does_not_apply',
      reason: reason('no_model_named'),
    },
    {
      number: 5,
      id: 'file_question',
      when: 'there are documents',
      verdict: 'nobody_left',
      reason: reason('rule_without_model', {
        applies: reason('about_files', { files: 2, documents: 1, scans: 0 }),
        models: [],
      }),
    },
    { number: 7, id: 'web_question', when: 'news', verdict: 'wins', reason: CHOSE },
  ],
  leftOut: [
    { provider: 'custom', model: 'llama', reason: NO_PICTURES },
    { provider: 'glm', model: 'glm-5.3', reason: reason('model_resting') },
    { provider: 'custom', model: 'qwen', reason: NO_PICTURES },
  ],
  context: [],
  payload: { url: 'https://api.z.ai/chat/completions', body: { model: 'glm-4.7-flash', n: 1 } },
};

export const chat = defineTool({
  name: 'chat',
  title: 'Chat',
  description: 'Answers.',
  input: z.strictObject({ prompt: promptField }),
  effect: 'reads',
  affinity: 'glm',
  previewAsk: ({ prompt }) => ({
    messages: [{ role: 'user', content: prompt }],
    system: 'Be kind.',
  }),
  run: () => Promise.reject(new Error('It must not run.')),
});
const version = defineTool({
  name: 'version',
  title: 'Version',
  description: 'Tells it.',
  input: z.strictObject({}),
  effect: 'reads',
  run: () => Promise.reject(new Error('It must not run.')),
});

/** Like an endpoint: the client's request is read before the operation runs. */
const operation: Tool = {
  ...chat,
  name: 'gateway_chat',
  category: 'balanced',
  parse: () => {
    throw new Error('It is not asked to read.');
  },
  previewAsk: ({ said }) => ({
    messages: [{ role: 'user', content: String(said) }],
    lastResort: 'none',
  }),
};

type Explained = readonly [AskRequest, AskContext, string];

/** A fake manager that explains everything in the same way, and records the requests. */
export function setUp(
  explanation: RouteExplanation = EXPLANATION,
  more: readonly Tool[] = [],
  fileIntake: FileIntake = { load: () => Promise.reject(new Error('It must read nothing.')) },
) {
  const explained: Explained[] = [];
  const tools: readonly Tool[] = [chat, version, ...more];
  const names = [...tools.map(({ name }) => name), 'thinkdeep'];
  const tool = route({
    fileIntake,
    manager: {
      explain(...asked) {
        explained.push(asked);
        return Promise.resolve(explanation);
      },
    },
    find: (name) => tools.find((each) => each.name === name),
    operation: (name) =>
      name === operation.name ? { tool: operation, read: ({ say }) => ({ said: say }) } : undefined,
    toolFacts: (name) =>
      name === 'thinkdeep' ? { category: 'extended_reasoning', affinity: 'kimi' } : undefined,
    suggest: (name) => didYouMean(name, names),
  });
  async function run(args: Record<string, unknown>, principal = 'local'): Promise<ToolResult> {
    const caller = { principal, scopes: [], roots: ['/project'] };
    const { signal } = new AbortController();
    const context = { reqId: 'req_1', caller, deadline: { at: 9 }, signal } as unknown;
    const answer = await tool.run(tool.parse(args), context as ToolContext);
    if ('inputRequests' in answer) throw new Error('It asks its client.');
    return answer;
  }
  return { run, explained, tool };
}
