/**
 * Log events renamed in 0.2.0, the name of today first. A line carries its old name as
 * `event_alias` for one release.
 */
const RENAMED_EVENTS: Readonly<Record<string, string>> = {
  audit_head_not_stored: 'audit_head_not_noted',
  audit_row_not_stored: 'call_not_noted',
  client_connected: 'client_greeted',
  client_disconnected: 'client_gone',
  client_token_used_as_owner: 'token_of_a_client',
  connection_lost: 'link_lost',
  connection_restored: 'link_back',
  feature_not_stopped: 'part_not_stopped',
  inbound_dropped: 'arriving_cut',
  internal_ask: 'side_question',
  job_detached: 'job_handed_off',
  job_lease_not_released: 'job_not_given_back',
  job_started: 'job_begun',
  mcp_task_notification_failed: 'mcp_task_not_told',
  option_not_applied: 'wish_not_kept',
  provider_internal_error: 'provider_broke',
  result_not_stored: 'result_not_kept',
  store_recovered: 'store_back',
  store_unavailable: 'store_lost',
  token_calibration_not_stored: 'corrections_not_stored',
  token_count_failed: 'tokens_not_counted',
  unix_listener_failed: 'local_door_failed',
  unix_listener_full: 'local_door_full',
  unix_session_failed: 'local_session_failed',
  unix_socket_failed: 'local_socket_failed',
  ws_dropped: 'ws_cut',
};

/** Metrics renamed in 0.2.0, the name of today first. Both names are exported for one release. */
export const RENAMED_METRICS: Readonly<Record<string, string>> = {
  exai_inbound_buffered_bytes: 'exai_arriving_bytes',
  exai_inbound_dropped_total: 'exai_arriving_cut_total',
  exai_ws_dropped_total: 'exai_ws_cut_total',
  exai_ws_pending_handshakes: 'exai_ws_newcomers',
};

const CURRENT_EVENTS = new Map(
  Object.entries(RENAMED_EVENTS).map(([current, old]) => [old, current]),
);

/** How a rate-limited log names the line that counts what it left out. */
const MORE = '_more';

/** The name that this event had before 0.2.0, where it had another. */
export function oldEventName(event: string): string | undefined {
  return renamed(event, (name) =>
    Object.hasOwn(RENAMED_EVENTS, name) ? RENAMED_EVENTS[name] : undefined,
  );
}

/** The name of today of an event that had another before 0.2.0. */
export function currentEventName(event: string): string | undefined {
  return renamed(event, (name) => CURRENT_EVENTS.get(name));
}

/** All renamed events, for the documentation. */
export function renamedEvents(): readonly { readonly old: string; readonly current: string }[] {
  return Object.entries(RENAMED_EVENTS).map(([current, old]) => ({ old, current }));
}

function renamed(event: string, find: (name: string) => string | undefined): string | undefined {
  if (!event.endsWith(MORE)) return find(event);
  const other = find(event.slice(0, -MORE.length));
  return other === undefined ? undefined : `${other}${MORE}`;
}
