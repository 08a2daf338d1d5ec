import * as z from 'zod';
import { defineTool } from '#core/define-tool.schema.ts';
import { duration } from '#core/duration.ts';
import { baseRenderer } from '#core/messages/render.ts';
import type { DoctorReport, Ops, ProbeFinding } from '#core/ops.ts';
import type { Tool } from '#core/tool.ts';
import type { Entry } from './reporting/entry.ts';
import {
  loadContent,
  LoadShape,
  ProviderShape,
  storeContent,
  StoreShape,
} from './reporting/shapes.ts';
import { spendingContent, SpendingShape, spendingWords } from './reporting/spending.ts';
import { recentTrouble } from './reporting/trouble.ts';
import { LOG_IS_LOCAL, ownsMachine } from './reporting/viewer.ts';
import { loadWords, probeWords, providerWords, storeWords } from './reporting/words.ts';

const MAX_TROUBLE_SHOWN = 3;

const DOCTOR_IS_LOCAL = 'The findings of the doctor are shown to callers on its own machine only.';

export function status(ops: Ops): Tool {
  return defineTool({
    name: 'status',
    title: 'Status',
    description:
      'What EX-AI is doing now, in a few lines: uptime, store, calls, providers, cost, notices.',
    input: z.strictObject({
      tail_lines: z
        .int()
        .min(0)
        .max(500)
        .default(30)
        .describe('Log lines to look through for warnings and errors.'),
      include_tools: z.boolean().default(false).describe('Name your tools.'),
      doctor: z.boolean().default(false).describe('Add the findings of the doctor.'),
      probe: z.boolean().default(false).describe('Really ask the store and the listener.'),
    }),
    output: z.strictObject({
      version: z.string(),
      uptime_s: z.number(),
      endpoint: z.string().optional(),
      gateway: z.string().optional(),
      store: StoreShape,
      load: LoadShape,
      providers: z.array(ProviderShape),
      today: SpendingShape.optional(),
      catalogue: z.strictObject({
        version: z.string(),
        count: z.number(),
        tools: z.array(z.string()).optional(),
      }),
      notices: z.array(z.string()).optional(),
      warnings: z.array(z.string()).optional(),
      probes: z.array(z.looseObject({})).optional(),
      doctor: z.looseObject({}).optional(),
    }),
    effect: 'reads',
    profile: 'lean',
    async run(args, { caller }) {
      const isOwner = ownsMachine(caller);
      const viewer = isOwner ? 'owner' : 'client';
      const [store, spending, trouble, probes, doctor] = await Promise.all([
        ops.store(args.probe ? 'ask' : 'known'),
        // It is kept in the store; when that is lost, the store is what has to be told of.
        ops.spending(caller).catch(() => undefined),
        recentTrouble(ops, caller, args.tail_lines),
        args.probe ? ops.probe() : undefined,
        args.doctor && isOwner ? ops.diagnose() : undefined,
      ]);
      const [endpoint, load, providers] = [ops.endpoint(), ops.load(), ops.providers()];
      const gateway = ops.gateway();
      const notices = isOwner ? ops.notices() : undefined;
      const { version, names } = ops.catalogue(caller);
      const uptimeS = Math.floor(ops.uptimeMs() / 1000);
      const kept = [
        ...(isOwner ? [] : [LOG_IS_LOCAL]),
        ...(args.doctor && !isOwner ? [DOCTOR_IS_LOCAL] : []),
      ];

      const at = endpoint === undefined ? '' : ` at ${endpoint}`;
      const tools = args.include_tools ? `: ${names.join(', ')}` : '';
      const text = [
        `EX-AI ${ops.build.version} has been up for ${duration(uptimeS)}${at}`,
        ...(gateway === undefined ? [] : [`Gateway: as OpenAI and Anthropic at ${gateway}`]),
        storeWords(store, viewer),
        loadWords(load),
        providerWords(providers),
        ...(spending ? spendingWords(spending) : []),
        `Tools: ${names.length} for you, catalogue ${version}${tools}`,
        ...(notices ?? []).map((notice) => `Notice: ${baseRenderer.notice(notice)}`),
        ...(trouble ? troubleWords(trouble, args.tail_lines) : []),
        ...(probes ?? []).map(probeWords),
        ...(doctor ? doctorWords(doctor) : []),
        ...kept,
      ];
      return {
        text: text.join('\n'),
        ...(kept.length > 0 && { detail: kept.join(' ') }),
        ...(notices && { notices }),
        content: {
          version: ops.build.version,
          uptime_s: uptimeS,
          ...(endpoint !== undefined && { endpoint }),
          ...(gateway !== undefined && { gateway }),
          store: storeContent(store, viewer),
          load: loadContent(load),
          providers,
          ...(spending && { today: spendingContent(spending) }),
          catalogue: { version, count: names.length, ...(args.include_tools && { tools: names }) },
          ...(notices && { notices: notices.map(baseRenderer.notice) }),
          ...(trouble && { warnings: trouble.map(({ line }) => line) }),
          ...(probes && { probes: probes.map(probeContent) }),
          ...(doctor && { doctor }),
        },
      };
    },
  });
}

function troubleWords(trouble: readonly Entry[], lookedAt: number): string[] {
  if (lookedAt === 0) return [];
  if (trouble.length === 0) return [`Log: no warnings or errors in the last ${lookedAt} lines`];
  const shown = trouble.slice(-MAX_TROUBLE_SHOWN).map(({ line }) => `  ${line}`);
  return [`Log: warnings and errors in the last ${lookedAt} lines: ${trouble.length}`, ...shown];
}

function doctorWords({ checks, summary, next }: DoctorReport): string[] {
  const lines = checks.map(({ status: is, title, detail, fix }) => {
    const help = fix === undefined ? '' : `; fix: ${fix}`;
    return `  ${is} ${title}: ${detail}${help}`;
  });
  return [`Doctor: ${summary} Next: ${next}`, ...lines];
}

function probeContent({ what, ok, elapsedMs, detail }: ProbeFinding) {
  return { what, ok, elapsed_ms: elapsedMs, ...(detail !== undefined && { detail }) };
}
