// Lines over days, drawn by uPlot. Imported only by the screens that use it. Its numbers are also in a table.
import { useEffect, useRef } from 'preact/hooks'
import UPlot from 'uplot'
import { formatNumber } from './values.tsx'

export interface Series {
  label: string
  /** Null: the day has no value, such as a share of nothing. */
  values: (number | null)[]
  /** From 0 to 1, on a second axis at the right. */
  isShare?: boolean
}

interface PlotProps {
  label: string
  /** `YYYY-MM-DD`, one per value. */
  days: string[]
  series: Series[]
}

const height = 220
/** Dashes distinguish lines without color. */
const dashes = [[], [6, 3], [2, 3], [8, 3, 2, 3]]
const colors = ['--plot-1', '--plot-2', '--plot-3', '--plot-4']

export function Plot({ label, days, series }: PlotProps) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const place = box.current!
    // Resolved for the color scheme, because a canvas does not support light-dark().
    const read = (name: string) => {
      place.style.color = `var(${name})`
      return getComputedStyle(place).color
    }
    const shares = series.some(({ isShare }) => isShare)
    const axis = {
      stroke: read('--plot-text'),
      grid: { stroke: read('--plot-grid') },
      ticks: { show: false },
    }
    // Without a pointer, the legend shows the last day.
    const showLast = (drawn: UPlot) => {
      if (drawn.cursor.idx == null) drawn.setLegend({ idx: days.length - 1 }, false)
    }
    const plot = new UPlot(
      {
        width: place.clientWidth,
        height,
        scales: {
          x: { time: true },
          share: { range: [0, 1] },
          y: { range: (_, __, max) => [0, Math.max(1, max)] },
        },
        // Days are in UTC.
        tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1e3), 'Etc/UTC'),
        axes: [
          { ...axis, values: '{YYYY}-{MM}-{DD}', space: 100 },
          { ...axis, size: 60 },
          ...(shares
            ? [{ ...axis, scale: 'share', side: 1 as const, grid: { show: false }, values: toPercent }]
            : []),
        ],
        legend: { live: true },
        hooks: { ready: [showLast], setCursor: [showLast] },
        series: [
          { label: 'Day', value: '{YYYY}-{MM}-{DD}' },
          ...series.map(({ label, isShare }, at) => ({
            label,
            scale: isShare ? 'share' : 'y',
            stroke: read(colors[at % colors.length]!),
            dash: dashes[at % dashes.length]!,
            width: 1.5,
            // A value between days without one has no line.
            points: { show: isShare || days.length < 2, size: 4 },
            value: (_: UPlot, value: number | null) =>
              value === null ? 'none' : isShare ? `${(value * 100).toFixed(1)} %` : formatNumber(value),
          })),
        ],
      },
      [days.map((day) => Date.parse(day) / 1e3), ...series.map(({ values }) => values)],
      place,
    )
    place.style.color = ''
    const resizing = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height }))
    resizing.observe(place)
    return () => {
      resizing.disconnect()
      plot.destroy()
    }
  }, [days, series])
  return <div class="plot" ref={box} role="img" aria-label={label} />
}

const toPercent = (_: UPlot, values: number[]) => values.map((value) => `${Math.round(value * 100)} %`)
