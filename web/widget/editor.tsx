// "Use in my editor": settings for a reader's agent to read the project over MCP.
import { CodeBlock } from '../components/copy.tsx'
import { listMcpClients, type McpServer } from '../components/mcp-clients.ts'
import styles from './editor.css'

export { styles }

export function EditorSettings(server: McpServer) {
  return (
    <div class="editor" part="editor">
      {listMcpClients(server).map(({ name, file, settings }, index) => (
        <details open={index === 0}>
          <summary>
            {name} <code>{file}</code>
          </summary>
          <CodeBlock text={JSON.stringify(settings, null, 2)} />
        </details>
      ))}
    </div>
  )
}
