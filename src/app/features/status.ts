import { diagnosePrompt } from '#tools/prompts/diagnose.ts';
import { logsResource } from '#tools/resources/logs.ts';
import { statusResource } from '#tools/resources/status.ts';
import { opsTools } from '#tools/index.ts';
import { status } from '#tools/status.ts';
import { writeNotices } from '#core/messages/notices-wire.ts';
import { toSent } from '#core/messages/render.ts';
import { NOTICES_METHOD } from '../daemon/daemon-notices.ts';
import type { FeatureContext } from './context.ts';
import type { Feature } from './feature.ts';

/** The state of the daemon: its tools, the status and the log as resources, and its notices. */
export function statusFeature({ ops, notices }: Pick<FeatureContext, 'ops' | 'notices'>): Feature {
  return {
    name: 'status',
    tools: opsTools(ops),
    prompts: [diagnosePrompt],
    resources: [statusResource(status(ops)), logsResource(ops)],
    adminMethods: { [NOTICES_METHOD]: async () => writeNotices(notices().map(toSent)) },
  };
}
