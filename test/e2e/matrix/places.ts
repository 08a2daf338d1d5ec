import type { Era } from './peer.ts';
import { MCP_TRANSPORTS, type McpTransport, type Requirement } from './requirement.ts';

/** Where a requirement is tried, or why not. */
export interface Place {
  readonly transport: McpTransport;
  readonly era: Era;
  readonly requirement: Requirement;
  readonly leftOut: string | undefined;
}

/** The whole matrix. */
export function placesOf(requirements: readonly Requirement[]): readonly Place[] {
  return MCP_TRANSPORTS.flatMap(({ transport, eras }) =>
    eras.flatMap((era) =>
      requirements
        .filter((requirement) => requirement.eras === 'both' || requirement.eras === era)
        .map((requirement) => ({
          transport,
          era,
          requirement,
          leftOut: whyNot(requirement, transport, era),
        })),
    ),
  );
}

function whyNot(
  { except = [] }: Requirement,
  transport: McpTransport,
  era: Era,
): string | undefined {
  return except.find((one) => one.transport === transport && (one.era ?? era) === era)?.because;
}

/** The counts, for people. */
export function summary(requirements: readonly Requirement[], places: readonly Place[]): string {
  const tried = places.filter(({ leftOut }) => leftOut === undefined);
  const cells = MCP_TRANSPORTS.flatMap(({ transport, eras }) =>
    eras.map((era) => {
      const count = tried.filter(
        (place) => place.transport === transport && place.era === era,
      ).length;
      return `${transport} ${era} ${count}`;
    }),
  );
  const empty = places.filter(({ leftOut }) => leftOut !== undefined);
  return [
    `MCP: ${requirements.length} requirements over ${MCP_TRANSPORTS.length} transports in their eras: ${tried.length} tests`,
    `  ${cells.join(', ')}`,
    ...empty.map(
      ({ requirement, transport, era, leftOut }) =>
        `  left out: ${requirement.id} over ${transport}, ${era}: ${leftOut}`,
    ),
  ].join('\n');
}
