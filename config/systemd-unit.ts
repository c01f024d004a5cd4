/** A copy of the store each night, the newest seven of them. It is read whole, so that a damaged one is noticed (`systemctl --failed`). */
export function formatBackupUnits(paths: {
  readonly program: string;
  readonly config: string;
  readonly data: string;
}): { readonly service: string; readonly timer: string } {
  return {
    service: `[Unit]
Description=Waypost, copy of the store
After=waypost.service
ConditionPathExists=${paths.config}

[Service]
Type=oneshot
ExecStart=${paths.program} backup ${paths.data}/backups --keep 7 --verify --config ${paths.config}
User=waypost
Group=waypost
UMask=0077
Nice=10
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
ReadWritePaths=${paths.data}
`,
    timer: `[Unit]
Description=Waypost, copy of the store each night

[Timer]
OnCalendar=*-*-* 03:00:00
RandomizedDelaySec=1h
Persistent=true

[Install]
WantedBy=timers.target
`,
  };
}

/** The unit for systemd: the service runs as an unprivileged user that may bind ports below 1024 and may write only its data and its log
 *  (/var/log/waypost). A wrong setting ends it with 2, and starting it again mends nothing. */
export function formatUnit(paths: {
  readonly program: string;
  readonly config: string;
  readonly data: string;
}): string {
  return `[Unit]
Description=Waypost, mail, calendar and addressbook server
Documentation=https://www.rfc-editor.org/rfc/rfc5321
After=network-online.target nss-lookup.target
Wants=network-online.target
ConditionPathExists=${paths.config}

[Service]
ExecStart=${paths.program} start --config ${paths.config}
ExecReload=/bin/kill -HUP $MAINPID
User=waypost
Group=waypost
UMask=0077
Restart=on-failure
RestartSec=2
RestartPreventExitStatus=2
TimeoutStopSec=30
LimitNOFILE=65536
AmbientCapabilities=CAP_NET_BIND_SERVICE
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
RestrictSUIDSGID=yes
ReadWritePaths=${paths.data}
LogsDirectory=waypost
LogsDirectoryMode=0750

[Install]
WantedBy=multi-user.target
`;
}
