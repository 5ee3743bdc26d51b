# syntax=docker/dockerfile:1

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
ARG VERSION=unknown
ENV CGO_ENABLED=0 GOFLAGS="-trimpath -buildvcs=false"
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    go build -ldflags "-s -w -X main.version=${VERSION}" -o /out/vestnik ./cmd/vestnik && \
    go build -ldflags "-s -w" -o /out/healthcheck ./deploy/healthcheck

# CA certificates, /etc/passwd and /tmp, and nothing else: no shell, no package
# manager. The time zone database is inside the binary.
FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /out/vestnik /out/healthcheck /
USER nonroot:nonroot
# In a container the loopback address reaches nobody.
ENV HTTP_ADDR=0.0.0.0:8080
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["/healthcheck"]
ENTRYPOINT ["/vestnik"]
CMD ["--help"]
