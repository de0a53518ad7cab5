// SPDX-License-Identifier: Apache-2.0

// Starts spiff lsp for YAML files and hands it the settings. All else is done by
// the client library.

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const settings = vscode.workspace.getConfiguration("spiff");
  const [command, ...args] = settings.get("command");
  const sets = settings.get("sets");
  client = new LanguageClient(
    "spiff",
    "spiff",
    { command, args },
    {
      documentSelector: [{ language: "yaml" }],
      initializationOptions: sets.length > 0 ? { sets } : {},
      synchronize: {
        fileEvents: vscode.workspace.createFileSystemWatcher("**/*.{yml,yaml}"),
      },
    },
  );
  return client.start();
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
