/**
 * What agents may do by default. An agent without rows may use nothing, and so is a tool that no row
 * of its agent matches refused. `agents` in the settings replaces the rows of an agent.
 */
export const DEFAULT_AGENT_ROWS: Readonly<Record<string, readonly string[]>> = {
  main: [
    'deny:local_toolkit/save_corpus',
    'allow:local_toolkit/write_local_file',
    'allow:local_toolkit/workbench_download',
    'allow:local_toolkit/workbench_upload',
    'allow:composio/COMPOSIO_SEARCH_*',
    'allow:composio/GMAIL_SEND_EMAIL',
    'allow:composio/COMPOSIO_REMOTE_WORKBENCH',
    'allow:local_toolkit/crawl_parallel',
    // The workbench is one of several tools of Composio that run code.
    'allow:composio/* does=runs_code',
    // All others: what reads, and after the consent of the user what does more.
    'read:*/* does=reads',
    'ask:*/* does=changes',
    'ask:*/* does=runs_code',
  ],
  'report-creation-expert': [
    'allow:local_toolkit/save_corpus',
    'allow:local_toolkit/write_local_file',
    'allow:local_toolkit/workbench_download',
    'allow:local_toolkit/workbench_upload',
    'read:composio/COMPOSIO_SEARCH_*',
    'deny:composio/GMAIL_SEND_EMAIL',
    'deny:composio/COMPOSIO_REMOTE_WORKBENCH',
    'allow:local_toolkit/crawl_parallel',
    'deny:*/* does=runs_code',
    // Prepares the attachment of a mail that another agent sends.
    'allow:local_toolkit/upload_to_composio',
    'read:local_toolkit/read_local_file',
    'read:local_toolkit/list_directory',
    'read:local_toolkit/web_reader',
    // The results of its long calls.
    'read:exai/job_result',
    'read:exai/read_result',
  ],
};
