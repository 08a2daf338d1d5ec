import * as z from 'zod';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import { formatDuration } from '#core/text/format.ts';
import { baseRenderer } from '#core/messages/render.ts';
import type { DoctorReport, Diagnostics, ProbeFinding } from '#core/diagnostics/diagnostics.ts';
import type { Tool } from '#core/tools/tool.ts';
import type { ActivityEntry } from './reporting/activity-entry.ts';
import {
  loadContent,
  LoadShape,
  ProviderShape,
  renderLoad,
  renderProbe,
  renderProviders,
  renderStore,
  storeContent,
  StoreShape,
} from './reporting/status-parts.ts';
import { spendingContent, SpendingShape, renderSpending } from './reporting/spending.ts';
import { recentProblems } from './reporting/recent-problems.ts';
import { LOG_IS_LOCAL, isMachineOwner } from './reporting/visibility.ts';

const MAX_PROBLEMS_SHOWN = 3;

const DOCTOR_IS_LOCAL = 'The findings of the doctor are shown to callers on its own machine only.';

export function status(ops: Diagnostics): Tool {
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
      const isOwner = isMachineOwner(caller);
      const viewer = isOwner ? 'owner' : 'client';
      const [store, spending, problems, probes, doctor] = await Promise.all([
        ops.store(args.probe ? 'ask' : 'known'),
        // Spending is stored; if the store is down, that is the finding to report.
        ops.spending(caller).catch(() => undefined),
        recentProblems(ops, caller, args.tail_lines),
        args.probe ? ops.probe() : undefined,
        args.doctor && isOwner ? ops.diagnose() : undefined,
      ]);
      const [endpoint, load, providers] = [ops.endpoint(), ops.load(), ops.providers()];
      const gateway = ops.gateway();
      const notices = isOwner ? ops.notices() : undefined;
      const { version, names } = ops.catalogue(caller);
      const uptimeS = Math.floor(ops.uptimeMs() / 1000);
      const withheld = [
        ...(isOwner ? [] : [LOG_IS_LOCAL]),
        ...(args.doctor && !isOwner ? [DOCTOR_IS_LOCAL] : []),
      ];

      const at = endpoint === undefined ? '' : ` at ${endpoint}`;
      const tools = args.include_tools ? `: ${names.join(', ')}` : '';
      const text = [
        `EX-AI ${ops.build.version} has been up for ${formatDuration(uptimeS)}${at}`,
        ...(gateway === undefined ? [] : [`Gateway: as OpenAI and Anthropic at ${gateway}`]),
        renderStore(store, viewer),
        renderLoad(load),
        renderProviders(providers),
        ...(spending ? renderSpending(spending) : []),
        `Tools: ${names.length} for you, catalogue ${version}${tools}`,
        ...(notices ?? []).map((notice) => `Notice: ${baseRenderer.notice(notice)}`),
        ...(problems ? renderProblems(problems, args.tail_lines) : []),
        ...(probes ?? []).map(renderProbe),
        ...(doctor ? renderDoctor(doctor) : []),
        ...withheld,
      ];
      return {
        text: text.join('\n'),
        ...(withheld.length > 0 && { detail: withheld.join(' ') }),
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
          ...(problems && { warnings: problems.map(({ line }) => line) }),
          ...(probes && { probes: probes.map(probeContent) }),
          ...(doctor && { doctor }),
        },
      };
    },
  });
}

function renderProblems(problems: readonly ActivityEntry[], lookedAt: number): string[] {
  if (lookedAt === 0) return [];
  if (problems.length === 0) return [`Log: no warnings or errors in the last ${lookedAt} lines`];
  const shown = problems.slice(-MAX_PROBLEMS_SHOWN).map(({ line }) => `  ${line}`);
  return [`Log: warnings and errors in the last ${lookedAt} lines: ${problems.length}`, ...shown];
}

function renderDoctor({ checks, summary, next }: DoctorReport): string[] {
  const lines = checks.map(({ status: is, title, detail, fix }) => {
    const help = fix === undefined ? '' : `; fix: ${fix}`;
    return `  ${is} ${title}: ${detail}${help}`;
  });
  return [`Doctor: ${summary} Next: ${next}`, ...lines];
}

function probeContent({ what, ok, elapsedMs, detail }: ProbeFinding) {
  return { what, ok, elapsed_ms: elapsedMs, ...(detail !== undefined && { detail }) };
}
