import { systemClock } from '#app/system.ts';
import type { LoadedConfig } from '#config/load/load.ts';
import { loadConfigFor } from '../config-option.ts';
import type { Io } from '../io.ts';
import {
  checkGatewayModel,
  gatewayDisabledError,
  locateGateway,
  readContextTokens,
  readGatewayModel,
  startDaemonForTool,
  type GatewayLocation,
} from './daemon.ts';
import type { GatewayTarget } from './setup.ts';

/** How much longer a tool waits than the gateway's timeout. */
const MORE_MS = 60_000;

interface FindGatewayOptions {
  readonly model?: string;
  /** `--config` */
  readonly config?: string;
  readonly start: 'if_need_be' | 'never';
}

export interface FoundGateway {
  readonly loaded: LoadedConfig;
  readonly place: GatewayLocation;
  /** Everything but the key. */
  readonly target: Omit<GatewayTarget, 'key'>;
}

/** Finds the gateway for a tool; starts the daemon if it is to. Throws for an unknown model. */
export async function findGateway(
  { model: name, config, start }: FindGatewayOptions,
  io: Pick<Io, 'env' | 'stderr'>,
): Promise<FoundGateway> {
  const model = readGatewayModel(name);
  const options = config === undefined ? {} : { config };
  const before = loadConfigFor(options, io);
  if (!before.config.gateway.enabled) throw gatewayDisabledError();
  await startDaemonForTool(io, before.home, {
    start,
    settings: config === undefined ? 'own' : 'of_another_file',
  });
  // The first start of a daemon writes a token.
  const loaded = loadConfigFor(options, io);
  const place = await locateGateway(loaded, systemClock);
  const isAsked = name !== undefined && place.daemon === 'running';
  if (isAsked) await checkGatewayModel(model, io);
  const contextTokens = isAsked ? await readContextTokens(model, io) : undefined;
  const timeoutMs = loaded.config.gateway.timeoutMs + MORE_MS;
  return {
    loaded,
    place,
    target: {
      url: place.url,
      model,
      timeoutMs,
      ...(contextTokens !== undefined && { contextTokens }),
    },
  };
}
