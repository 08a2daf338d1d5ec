import * as z from 'zod';
import { agents } from './sections/agents.schema.ts';
import { gateway } from './sections/gateway.schema.ts';
import { hub, mcpServers } from './sections/hub.schema.ts';
import { listening } from './sections/listening.schema.ts';
import { files, lifecycle, place, programs, storage } from './sections/machine.schema.ts';
import { network } from './sections/network.schema.ts';
import { models, providers, timeouts } from './sections/providers.schema.ts';
import { composio, edgar, log, tracing, vision } from './sections/services.schema.ts';
import {
  breaker,
  budget,
  fallback,
  jobs,
  limits,
  results,
  routing,
  tools,
} from './sections/work.schema.ts';

/**
 * The schema of all settings. `Config.parse({})` gives the defaults; no setting is ever absent, an
 * empty text means "none".
 */
export const Config = z.strictObject({
  ...listening,
  gateway,
  ...storage,
  ...place,
  ...files,
  ...programs,
  providers,
  models,
  timeouts,
  network,
  routing,
  fallback,
  breaker,
  budget,
  limits,
  jobs,
  results,
  tools,
  mcpServers,
  hub,
  agents,
  composio,
  vision,
  edgar,
  log,
  tracing,
  ...lifecycle,
});
export type Config = z.infer<typeof Config>;
