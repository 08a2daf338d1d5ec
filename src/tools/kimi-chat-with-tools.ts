import * as z from 'zod';
import type { AskRequest } from '#core/llm/ask.ts';
import type { ToolLoopResult } from '#core/llm/tool-loop.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { CALL_TIME_HELP, MODEL_TOOL_TIMEOUT_MS } from '#core/time/call-times.ts';
import { toMicroUsd } from '#core/text/money.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { Tool, ToolResult } from '#core/tools/tool.ts';
import { citationContent, CitationsShape, formatCitations } from './shared/citations.ts';
import * as fields from './shared/fields.ts';
import {
  messagesField,
  readMessages,
  ToolCallsShape,
  formatMessage,
  formatToolCall,
} from './shared/chat-messages.ts';
import { openLoopJournal } from './shared/loop-journal.ts';
import type { WantedTools } from './shared/loop-tools.ts';
import { noticeFields, renderNotices } from './shared/notices.ts';
import { progressNotes } from './shared/progress-notes.ts';
import { readToolEntry } from './shared/read-ask-request.ts';
import { readToolChoice, toolChoiceField } from './shared/tool-choice.ts';
import {
  askWithTools,
  EndShape,
  failureFields,
  toolsFor,
  withPreviewedTools,
  type ToolLoopDeps,
} from './shared/tool-loop.ts';

const HELP = `tools takes names of tools of EX-AI (exai tools --all), names of MCP servers (all their tools), patterns such as mcp__github__*, and functions as OpenAI writes them.

- A named tool is run for the model as a separate call with your rights: it can change something.
- A call of a function is given back: finish is tool_calls, tool_calls has the calls. To continue, call again with your messages, then the returned messages, then a message {role: tool, tool_call_id, content} for each call.
- A tool that fails is an error for the model, which continues without it. route.calls of the envelope lists every call.
- The model has to answer after max_rounds rounds, after three equal calls with equal results, or when the time or max_cost_usd is nearly used; ended says which.

${CALL_TIME_HELP}`;

interface KimiChatDeps {
  readonly toolLoop: ToolLoopDeps;
}

const MAX_ROUNDS = 32;

const INPUT = z.strictObject({
  messages: messagesField.describe('A text, or messages as OpenAI writes them.'),
  tools: fields.toolsField.optional(),
  tool_choice: toolChoiceField.optional(),
  use_tools: fields.useToolsField.optional(),
  max_rounds: z.int().min(1).max(MAX_ROUNDS).optional().describe('Default: 8.'),
  model: fields.modelField.optional(),
  temperature: fields.temperatureField.optional(),
  max_cost_usd: fields.maxCostField.optional(),
  use_websearch: fields.webSearchField.default(false),
  stream: z.boolean().optional().describe('Ignored.'),
});
type Input = z.output<typeof INPUT>;

/** Lets Kimi, or another model if Kimi fails, call tools of ours and functions of the caller. */
export function kimiChatWithTools({ toolLoop }: KimiChatDeps): Tool {
  return defineTool({
    name: 'kimi_chat_with_tools',
    title: 'Kimi with tools',
    description: 'Let Kimi call tools until it answers. Calls of functions are given back.',
    help: HELP,
    input: INPUT,
    output: z.strictObject({
      text: z.string(),
      finish: z.enum(['stop', 'length', 'tool_calls']),
      ended: EndShape,
      rounds: z.number(),
      tool_calls: ToolCallsShape.optional().describe('Calls of your functions.'),
      messages: z
        .array(z.looseObject({ role: z.string() }))
        .optional()
        .describe('What follows your messages in the next call.'),
      citations: CitationsShape.optional(),
    }),
    // A named tool may do anything.
    effect: 'destroys',
    openWorld: true,
    category: 'balanced',
    affinity: 'kimi',
    profile: 'full',
    pool: 'provider',
    timeoutMs: MODEL_TOOL_TIMEOUT_MS,
    // Its steps are a journal: no model is asked twice, and no call that writes is repeated.
    resumable: true,
    previewAsk: (args, caller) =>
      withPreviewedTools(toRequest(args), wantedBy(args), caller, toolLoop),
    async run(args, context) {
      const offered = await toolsFor(wantedBy(args), context, toolLoop);
      const journal = openLoopJournal(context);
      const loop = await askWithTools(
        toRequest(args),
        offered,
        context,
        toolLoop,
        {
          onText: (text) => context.progress({ text }),
          ...progressNotes((note) => context.progress({ note })),
        },
        { journal, ...(args.max_rounds !== undefined && { maxRounds: args.max_rounds }) },
      );
      return {
        ...toToolResult(loop, offered.notices),
        ...(journal.reports.length > 0 && { askReports: journal.reports }),
      };
    },
  });
}

function toRequest(args: Input): AskRequest {
  const { messages, temperature, use_websearch: search, tool_choice: choice } = args;
  const model = args.model?.trim() ?? '';
  return {
    ...(model !== '' && { model }),
    messages: readMessages(messages),
    ...(temperature !== undefined && { sampling: { temperature } }),
    search: search === 'auto' ? search : search ? 'on' : 'off',
    ...(choice !== undefined && { toolChoice: readToolChoice(choice) }),
    ...(args.max_cost_usd !== undefined && { maxCostMicroUsd: toMicroUsd(args.max_cost_usd) }),
    // Quoted passages would not answer it.
    lastResort: 'none',
  };
}

function wantedBy({ messages, tools = [], use_tools: use }: Input): WantedTools {
  const asked = readMessages(messages).findLast(({ role }) => role === 'user');
  const question = typeof asked?.content === 'string' ? asked.content : '';
  return { entries: tools.map(readToolEntry), auto: use === 'auto', question, may: 'all' };
}

function toToolResult(loop: ToolLoopResult, offered: readonly Notice[]): ToolResult {
  const { text, end, reason, rounds, citations, returned, messages, failure } = loop;
  const why = end === 'answered' || !reason ? [] : [notice('tool_loop_ended', { reason })];
  const notices = [...offered, ...why];
  const { finish } = loop.answer;
  const calls = {
    tool_calls: returned.map(formatToolCall),
    messages: messages.map(formatMessage),
  };
  // A model that reads only the text has to run the calls and continue, too.
  const toRun = returned.length === 0 ? '' : `\n\n${JSON.stringify(calls)}`;
  const shown = `${text}${renderNotices(notices)}${toRun}${formatCitations(citations)}`;
  return {
    text: shown.trimStart(),
    content: {
      text,
      finish: returned.length > 0 ? 'tool_calls' : finish,
      ended: end,
      rounds,
      ...(returned.length > 0 && calls),
      ...(citations.length > 0 && { citations: citations.map(citationContent) }),
    },
    ...noticeFields(notices),
    ...(failure && failureFields(failure)),
  };
}
