/** A renamed setting: the old and the new name. */
export interface SettingAlias {
  /** Dotted path of the old name: `door.origins`. Its variable is EXAI_DOOR_ORIGINS. */
  readonly old: string;
  /** Dotted path of the new name. */
  readonly current: string;
  /** The release that renamed it. The next minor release removes the old name. */
  readonly since: string;
}

/**
 * Renamed settings. From this table follow the loader, its notices, `exai doctor`, docs/config.md
 * and docs/config.schema.json, so an old name works in every source for one release.
 */
export const SETTING_ALIASES: readonly SettingAlias[] = [
  { old: 'patience.firstTokenMs', current: 'timeouts.firstTokenMs', since: '0.2.0' },
  { old: 'patience.idleMs', current: 'timeouts.idleMs', since: '0.2.0' },
  { old: 'door.maxFrameBytes', current: 'listener.maxFrameBytes', since: '0.2.0' },
  { old: 'door.helloTimeoutMs', current: 'listener.helloTimeoutMs', since: '0.2.0' },
  { old: 'door.origins', current: 'listener.origins', since: '0.2.0' },
  { old: 'door.progressIntervalMs', current: 'listener.progressIntervalMs', since: '0.2.0' },
  { old: 'door.pingIntervalMs', current: 'listener.pingIntervalMs', since: '0.2.0' },
  { old: 'door.deadAfterMs', current: 'listener.deadAfterMs', since: '0.2.0' },
  { old: 'door.maxBodyBytes', current: 'listener.maxBodyBytes', since: '0.2.0' },
  { old: 'door.sessionIdleMs', current: 'listener.sessionIdleMs', since: '0.2.0' },
  { old: 'door.streamAfterMs', current: 'listener.streamAfterMs', since: '0.2.0' },
  { old: 'door.streamForMs', current: 'listener.streamForMs', since: '0.2.0' },
  { old: 'door.sseKeepaliveMs', current: 'listener.sseKeepaliveMs', since: '0.2.0' },
  { old: 'gateway.models', current: 'gateway.aliases', since: '0.3.0' },
  { old: 'fallback.local', current: 'fallback.extractive', since: '0.2.0' },
];
