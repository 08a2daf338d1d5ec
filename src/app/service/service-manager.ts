/** The system's state of the service. */
export interface ServiceState {
  readonly enabled: boolean;
  readonly is: 'running' | 'starting' | 'stopped' | 'failed';
  /** The pid of its daemon, while it runs. */
  readonly pid?: number;
  /** The state as the system prints it. */
  readonly detail: string;
}

/** The system's service manager (systemd or launchd) for our one service. */
export interface ServiceManager {
  readonly name: 'systemd' | 'launchd';
  /** The path of the service file. */
  readonly file: string;
  /** The content of the service file. */
  readonly text: string;
  /** Commands for the user that register a written service. */
  installCommands(start: 'now' | 'at_login'): readonly string[];
  /** Commands for the user that unregister a service whose file is gone. */
  readonly removeCommands: readonly string[];
  /** The command that shows why the service does not run. */
  readonly logCommand: string;
  /** Makes the manager read the service file. Throws if it cannot be reached. */
  refresh(): Promise<void>;
  enable(start: 'now' | 'at_login'): Promise<void>;
  /** Also stops the service, and waits for its end. */
  disable(): Promise<void>;
  state(): Promise<ServiceState>;
  /** Links created by `enable`, to be removed when the manager cannot be reached. */
  readonly links: readonly string[];
}
